import type { Texts } from '../texts.ts';

/** The connect page in Hebrew. It addresses the user in the plural, which has no gender in common use. */
export const he: Texts = {
  tag: 'he',
  direction: 'rtl',
  pickTitle: 'חיבור המכשירים והאפליקציות שלכם',
  pickText: (app) =>
    `בחרו את השירותים שמהם ${app} תוכל לקבל נתונים. לפני כל חיבור תוכלו לראות אילו נתונים ישותפו.`,
  nothingOffered: 'אין כרגע שירותים שאפשר לחבר. חזרו לאפליקציה ונסו שוב מאוחר יותר.',
  reasons: {
    access_ended: (providers) => `הגישה אל ${providers} הסתיימה ולכן לא מגיעים נתונים חדשים. יש להתחבר מחדש.`,
    no_data: (providers) =>
      `כבר זמן מה לא הגיעו נתונים חדשים מ־${providers}. פתחו את האפליקציה של ${providers} במכשיר כדי שתוכל לשלוח נתונים, או התחברו מחדש.`,
  },
  states: { none: 'לא מחובר', connected: 'מחובר', expired: 'הגישה הסתיימה' },
  choose: { none: 'חיבור', connected: 'חיבור חוזר', expired: 'חיבור מחדש' },
  consentTitle: (provider) => `חיבור אל ${provider}`,
  consentText: (app, provider) => `אם תמשיכו, ${app} תקבל את הנתונים הבאים מהחשבון שלכם ב־${provider}:`,
  shares: {
    activities: 'פעילויות ואימונים',
    daily_activity: 'צעדים, מרחק וקלוריות של כל יום',
    heart_rate: 'דופק',
    oxygen_saturation: 'רמת החמצן בדם',
    sleep: 'שינה',
    stress: 'מתח והתאוששות',
    body: 'משקל והרכב הגוף',
    blood_pressure: 'לחץ דם',
    nutrition: 'תזונה',
    mindfulness: 'תרגולי מיינדפולנס',
    cycle: 'המחזור החודשי',
    routes: 'מסלולי האימונים שלכם: מקומות, מהירות וגובה',
    profile: 'הגדרות הפרטיות של הפרופיל שלכם',
  },
  consentPeriod: 'הנתונים מהשבועות האחרונים והנתונים החדשים משותפים עד שתנתקו את החיבור.',
  notShared: (provider) => `הסיסמה שלכם ב־${provider}, אנשי הקשר וההודעות שלכם אינם משותפים.`,
  consentRights: (app, provider) =>
    `את ההרשאות בוחרים בדף הבא, ב־${provider}, ואפשר להפסיק את הגישה שם או ב־${app} בכל עת.`,
  agree: (provider) => `אישור והמשך אל ${provider}`,
  back: 'חזרה',
  leaving: (provider) => `מעבר אל ${provider}…`,
  follow: (provider) => `המשך אל ${provider}`,
  codeTitle: (provider) => `הקוד שלכם עבור ${provider}`,
  codeText: (app) =>
    `הזינו את הקוד הזה ב־${app} במכשיר בתוך 15 דקות. אפשר להשתמש בו פעם אחת בלבד. אל תמסרו אותו לאיש.`,
  done: (app) => `חזרה אל ${app}`,
  mayClose: 'בסיום אפשר לסגור את הדף ולחזור לאפליקציה.',
  connected: (provider) => `החיבור אל ${provider} הושלם.`,
  failures: {
    access_denied: (provider) => `לא אישרתם את הגישה ולכן ${provider} לא חובר. דבר לא נשמר.`,
    permission_missing: (provider) =>
      `אי אפשר לחבר את ${provider} ללא הרשאה לקרוא פעילויות או נתוני בריאות. התחברו מחדש והשאירו את ההרשאה מסומנת.`,
    link_expired: (provider) => `הדף של ${provider} היה פתוח זמן רב מדי. התחברו מחדש.`,
    code_expired: (provider) =>
      `האישור של ${provider} הגיע מאוחר מדי, כי הוא תקף לזמן קצר בלבד. התחברו מחדש.`,
    provider_refused: (provider) => `הגישה לא אושרה על ידי ${provider}. התחברו מחדש.`,
    provider_unavailable: (provider) => `אין כרגע מענה מ־${provider}. התחברו מחדש בעוד כמה דקות.`,
    account_taken: (provider) =>
      `החשבון הזה ב־${provider} מחובר למשתמש אחר. התנתקו מ־${provider} והתחברו מחדש עם החשבון שלכם.`,
    user_gone: () => 'החשבון שלכם באפליקציה כבר לא קיים.',
    unavailable: () => 'אירעה תקלה אצלנו. התחברו מחדש בעוד כמה דקות.',
  },
  problems: {
    unknown: {
      title: 'הקישור הזה אינו תקין',
      text: 'הקישור אינו שלם או שלא נוצר על ידי השירות הזה. דבר לא השתנה. חזרו לאפליקציה והתחילו משם מחדש.',
    },
    expired: {
      title: 'תוקף הקישור פג',
      text: 'קישור תקף ל־30 דקות. מה שכבר חובר נשאר מחובר. חזרו לאפליקציה והתחילו משם מחדש.',
    },
    foreign: {
      title: 'הקישור הזה שייך לדפדפן אחר',
      text: 'הקישור פועל רק בדפדפן שבו ניתן האישור הראשון, וכשקובצי Cookie מותרים. דבר לא השתנה. המשיכו באותו דפדפן, או חזרו לאפליקציה והתחילו מחדש.',
    },
    user_gone: {
      title: 'החשבון הזה כבר לא קיים',
      text: 'החשבון שעבורו נוצר הקישור נמחק. דבר לא חובר. אם לא ציפיתם לכך, פנו למפעיל האפליקציה.',
    },
    form: {
      title: 'נסו שוב',
      text: 'הבקשה לא נשלחה מהדף הזה, או שהדף אינו עדכני. דבר לא השתנה. חזרו אחורה, טענו את הדף מחדש ונסו שוב.',
    },
    limited: {
      title: 'יותר מדי בקשות',
      text: 'התקבלו בקשות רבות מהרשת שלכם. דבר לא השתנה. המתינו דקה וטענו את הדף מחדש.',
    },
    unavailable: {
      title: 'אי אפשר לעשות זאת כרגע',
      text: 'אירעה תקלה אצלנו. דבר לא השתנה. טענו את הדף מחדש בעוד כמה דקות.',
    },
  },
};

import type { Texts } from '../texts.ts';

/** The connect page in Japanese. */
export const ja: Texts = {
  tag: 'ja',
  direction: 'ltr',
  pickTitle: 'デバイスやアプリを連携',
  pickText: '{app} がデータを受け取るサービスを選択してください。連携の前に、共有される内容を確認できます。',
  nothingOffered:
    '現在、連携できるサービスがありません。アプリに戻り、しばらくしてからもう一度お試しください。',
  reasons: {
    access_ended:
      '{providers} へのアクセスが終了したため、新しいデータを受信できません。もう一度連携してください。',
    no_data:
      'しばらくの間、{providers} から新しいデータが届いていません。お使いのデバイスで {providers} のアプリを開いてデータを送信するか、もう一度連携してください。',
  },
  states: { none: '未連携', connected: '連携済み', expired: 'アクセス終了' },
  choose: { none: '連携する', connected: 'もう一度連携', expired: '再連携する' },
  consentTitle: '{provider} と連携',
  consentText: '続行すると、{app} はお客様の {provider} アカウントから次のデータを受け取ります。',
  shares: {
    activities: 'アクティビティとワークアウト',
    daily_activity: '毎日の歩数、距離、消費カロリー',
    heart_rate: '心拍数',
    oxygen_saturation: '血中酸素',
    sleep: '睡眠',
    stress: 'ストレスと回復',
    body: '体重と体組成',
    blood_pressure: '血圧',
    glucose: '血糖値とインスリン',
    nutrition: '食事と栄養',
    mindfulness: 'マインドフルネスの記録',
    cycle: '月経周期',
    routes: 'ワークアウトのルート（場所、速度、高度）',
    profile: 'プロフィールのプライバシー設定',
  },
  consentPeriod: '過去数週間のデータと今後の新しいデータが、連携を解除するまで共有されます。',
  notShared: '{provider} のパスワード、連絡先、メッセージは共有されません。',
  consentRights:
    '許可する項目は、次に表示される {provider} のページで選択できます。アクセスは、{provider} または {app} でいつでも終了できます。',
  region: {
    question: '{provider} アカウントを登録した国を選択してください。',
    choose: '選択してください',
    elsewhere: 'その他の国',
  },
  agree: '同意して {provider} に進む',
  back: '戻る',
  leaving: '{provider} に移動しています…',
  follow: '{provider} に進む',
  codeTitle: '{provider} 用のコード',
  codeText:
    'このコードを 15 分以内に、デバイスの {app} に入力してください。使用できるのは 1 回だけです。他の人に教えないでください。',
  done: '{app} に戻る',
  mayClose: '完了したら、このページを閉じてアプリに戻ることができます。',
  connected: '{provider} と連携しました。',
  failures: {
    access_denied:
      'アクセスが許可されなかったため、{provider} は連携されませんでした。何も保存されていません。',
    permission_missing:
      'アクティビティまたは健康データの読み取りが許可されていないため、{provider} と連携できません。もう一度連携し、許可の選択を外さないでください。',
    link_expired: '{provider} のページが長時間開いたままでした。もう一度連携してください。',
    code_expired: '{provider} の確認には短い有効期限があり、間に合いませんでした。もう一度連携してください。',
    provider_refused: '{provider} でアクセスが承認されませんでした。もう一度連携してください。',
    provider_unavailable: '現在 {provider} から応答がありません。数分後にもう一度連携してください。',
    account_taken:
      'この {provider} アカウントは別のユーザーと連携されています。{provider} からログアウトし、ご自身のアカウントでもう一度連携してください。',
    user_gone: 'アプリのアカウントはすでに存在しません。',
    unavailable: 'サービスでエラーが発生しました。数分後にもう一度連携してください。',
  },
  problems: {
    unknown: {
      title: 'このリンクは無効です',
      text: 'リンクが不完全か、このサービスで作成されたものではありません。何も変更されていません。アプリに戻って最初からやり直してください。',
    },
    expired: {
      title: 'このリンクは有効期限が切れています',
      text: 'リンクの有効期間は 30 分です。連携済みのサービスはそのまま維持されます。アプリに戻って最初からやり直してください。',
    },
    foreign: {
      title: 'このリンクは別のブラウザーのものです',
      text: 'リンクは、最初に同意したブラウザーで、Cookie が許可されている場合にのみ使用できます。何も変更されていません。そのブラウザーで続けるか、アプリに戻って最初からやり直してください。',
    },
    user_gone: {
      title: 'このアカウントは存在しません',
      text: 'このリンクの対象となるアカウントは削除されました。何も連携されていません。お心当たりがない場合は、アプリの運営者にお問い合わせください。',
    },
    form: {
      title: 'もう一度お試しください',
      text: 'このページから送信されたリクエストではないか、ページの情報が古くなっています。何も変更されていません。前のページに戻って再読み込みし、もう一度お試しください。',
    },
    limited: {
      title: 'リクエストが多すぎます',
      text: 'お使いのネットワークから多数のリクエストがありました。何も変更されていません。1 分ほど待ってから、このページを再読み込みしてください。',
    },
    unavailable: {
      title: '現在ご利用いただけません',
      text: 'サービスでエラーが発生しました。何も変更されていません。数分後にこのページを再読み込みしてください。',
    },
  },
};

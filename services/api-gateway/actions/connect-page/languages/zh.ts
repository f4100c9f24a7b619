import type { Texts } from '../texts.ts';

/** The connect page in Simplified Chinese. */
export const zh: Texts = {
  tag: 'zh-Hans',
  direction: 'ltr',
  pickTitle: '连接您的设备和应用',
  pickText: '请选择允许 {app} 从哪些服务接收数据。连接之前，您可以先查看将共享哪些内容。',
  nothingOffered: '目前没有可以连接的服务。请返回应用，稍后再试。',
  reasons: {
    access_ended: '对 {providers} 的访问权限已失效，无法接收新数据。请重新连接。',
    no_data:
      '已有一段时间没有收到来自 {providers} 的新数据。请在您的设备上打开 {providers} 的应用以便发送数据，或重新连接。',
  },
  states: { none: '未连接', connected: '已连接', expired: '访问权限已失效' },
  choose: { none: '连接', connected: '再次连接', expired: '重新连接' },
  consentTitle: '连接 {provider}',
  consentText: '如果您继续，{app} 将从您的 {provider} 账号接收以下数据：',
  shares: {
    activities: '活动和锻炼',
    daily_activity: '每天的步数、距离和卡路里',
    heart_rate: '心率',
    oxygen_saturation: '血氧',
    sleep: '睡眠',
    stress: '压力与恢复',
    body: '体重和身体成分',
    blood_pressure: '血压',
    glucose: '血糖和胰岛素',
    nutrition: '饮食营养',
    mindfulness: '正念练习',
    cycle: '月经周期',
    routes: '锻炼路线：地点、速度和海拔',
    profile: '个人资料的隐私设置',
  },
  consentPeriod: '过去几周的数据和新数据都会共享，直到您断开连接。',
  notShared: '您的 {provider} 密码、联系人和消息不会共享。',
  consentRights:
    '您可以在下一页（{provider} 的页面）选择要授予的权限，并可随时在 {provider} 或 {app} 中终止访问。',
  region: {
    question: '您的 {provider} 账号是在哪个国家或地区注册的？',
    choose: '请选择',
    elsewhere: '其他国家或地区',
  },
  agree: '同意并前往 {provider}',
  back: '返回',
  leaving: '正在前往 {provider}…',
  follow: '前往 {provider}',
  codeTitle: '您的 {provider} 代码',
  codeText: '请在 15 分钟内在设备上的 {app} 中输入此代码。代码只能使用一次，请勿告诉任何人。',
  done: '返回 {app}',
  mayClose: '完成后，您可以关闭此页面并返回应用。',
  connected: '{provider} 已连接。',
  failures: {
    access_denied: '您没有允许访问，因此未连接 {provider}。没有保存任何内容。',
    permission_missing: '没有读取活动或健康数据的权限，无法连接 {provider}。请重新连接，并保持勾选该权限。',
    link_expired: '{provider} 的页面打开时间过长。请重新连接。',
    code_expired: '{provider} 的确认信息有效期很短，送达时已过期。请重新连接。',
    provider_refused: '{provider} 未确认访问权限。请重新连接。',
    provider_unavailable: '{provider} 目前没有响应。请几分钟后重新连接。',
    account_taken: '此 {provider} 账号已与其他用户连接。请退出 {provider}，然后使用您自己的账号重新连接。',
    user_gone: '您在应用中的账号已不存在。',
    unavailable: '我们的服务出现了问题。请几分钟后重新连接。',
  },
  problems: {
    unknown: {
      title: '此链接无效',
      text: '链接不完整，或并非由本服务创建。没有进行任何更改。请返回应用，重新开始。',
    },
    expired: {
      title: '此链接已过期',
      text: '链接的有效期为 30 分钟。已建立的连接仍然保留。请返回应用，重新开始。',
    },
    foreign: {
      title: '此链接属于另一个浏览器',
      text: '链接只能在最先同意的浏览器中使用，并且需要允许 Cookie。没有进行任何更改。请在该浏览器中继续，或返回应用重新开始。',
    },
    user_gone: {
      title: '此账号已不存在',
      text: '此链接对应的账号已被删除。没有连接任何服务。如果您对此感到意外，请联系应用的运营方。',
    },
    form: {
      title: '请重试',
      text: '请求并非来自此页面，或者页面已过期。没有进行任何更改。请返回并重新加载页面，然后重试。',
    },
    limited: {
      title: '请求过多',
      text: '来自您网络的请求过多。没有进行任何更改。请等待一分钟，然后重新加载此页面。',
    },
    unavailable: {
      title: '目前无法使用',
      text: '我们的服务出现了问题。没有进行任何更改。请几分钟后重新加载此页面。',
    },
  },
};

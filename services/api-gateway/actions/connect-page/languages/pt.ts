import type { Texts } from '../texts.ts';

/** The connect page in Portuguese, in words that are used in Brazil and understood in Portugal. */
export const pt: Texts = {
  tag: 'pt',
  direction: 'ltr',
  pickTitle: 'Conecte seus dispositivos e aplicativos',
  pickText:
    'Escolha os serviços dos quais {app} pode receber dados. Antes de cada conexão, você vê o que é compartilhado.',
  nothingOffered: 'No momento não há nada para conectar. Volte ao aplicativo e tente novamente mais tarde.',
  reasons: {
    access_ended: 'O acesso a {providers} terminou e não chegam novos dados: conecte novamente.',
    no_data:
      'Há algum tempo não chegam novos dados de {providers}: abra o aplicativo de {providers} no seu dispositivo para que ele possa enviar dados ou conecte novamente.',
  },
  states: { none: 'Não conectado', connected: 'Conectado', expired: 'Acesso encerrado' },
  choose: { none: 'Conectar', connected: 'Conectar de\u00a0novo', expired: 'Reconectar' },
  consentTitle: 'Conectar {provider}',
  consentText: 'Se você continuar, {app} recebe estes dados da sua conta {provider}:',
  shares: {
    activities: 'Atividades e treinos',
    daily_activity: 'Passos, distância e calorias de cada dia',
    heart_rate: 'Frequência cardíaca',
    oxygen_saturation: 'Oxigênio no sangue',
    sleep: 'Sono',
    stress: 'Estresse e recuperação',
    body: 'Peso e composição corporal',
    blood_pressure: 'Pressão arterial',
    glucose: 'Glicose no sangue e insulina',
    nutrition: 'Alimentação',
    mindfulness: 'Sessões de atenção plena',
    cycle: 'Ciclo menstrual',
    routes: 'Percursos dos seus treinos: locais, velocidade e altitude',
    profile: 'Configurações de privacidade do seu perfil',
  },
  consentPeriod:
    'Os dados das últimas semanas e os novos dados são compartilhados até que você desfaça a conexão.',
  notShared: 'Sua senha de {provider}, seus contatos e suas mensagens não são compartilhados.',
  consentRights:
    'Você escolhe as permissões na próxima página, em {provider}, e pode encerrar o acesso ali ou em {app} a qualquer momento.',
  region: {
    question: 'Em que país a sua conta {provider} está registrada?',
    choose: 'Escolha uma opção',
    elsewhere: 'Outro país',
  },
  agree: 'Aceitar e continuar em {provider}',
  back: 'Voltar',
  leaving: 'Abrindo {provider}…',
  follow: 'Continuar em {provider}',
  codeTitle: 'Seu código para {provider}',
  codeText:
    'Digite este código em {app} no dispositivo em até 15 minutos. Ele só funciona uma vez. Não o informe a ninguém.',
  done: 'Voltar para {app}',
  mayClose: 'Quando terminar, você pode fechar esta página e voltar ao aplicativo.',
  connected: '{provider} está conectado.',
  failures: {
    access_denied: 'Você não permitiu o acesso, por isso {provider} não foi conectado. Nada foi salvo.',
    permission_missing:
      'Sem a permissão para ler atividades ou dados de saúde, não é possível conectar {provider}. Conecte novamente e deixe-a marcada.',
    link_expired: 'A página de {provider} ficou aberta por tempo demais. Conecte novamente.',
    code_expired:
      'A confirmação de {provider} chegou tarde demais, pois só é válida por pouco tempo. Conecte novamente.',
    provider_refused: '{provider} não confirmou o acesso. Conecte novamente.',
    provider_unavailable: '{provider} não está respondendo no momento. Conecte novamente em alguns minutos.',
    account_taken:
      'Esta conta {provider} está conectada a outra pessoa. Saia de {provider} e conecte novamente com a sua própria conta.',
    user_gone: 'Sua conta no aplicativo não existe mais.',
    unavailable: 'Ocorreu um erro do nosso lado. Conecte novamente em alguns minutos.',
  },
  problems: {
    unknown: {
      title: 'Este link não é válido',
      text: 'Ele está incompleto ou não foi criado por este serviço. Nada foi alterado. Volte ao aplicativo e comece de novo.',
    },
    expired: {
      title: 'Este link expirou',
      text: 'Um link vale por 30 minutos. O que foi conectado continua conectado. Volte ao aplicativo e comece de novo.',
    },
    foreign: {
      title: 'Este link pertence a outro navegador',
      text: 'Ele só funciona no navegador em que o consentimento foi dado primeiro, com cookies permitidos. Nada foi alterado. Continue nesse navegador ou volte ao aplicativo e comece de novo.',
    },
    user_gone: {
      title: 'Esta conta não existe mais',
      text: 'A conta para a qual este link foi criado foi excluída. Nada foi conectado. Se você não esperava por isso, fale com o responsável pelo aplicativo.',
    },
    form: {
      title: 'Tente novamente',
      text: 'A solicitação não veio desta página ou a página está desatualizada. Nada foi alterado. Volte, recarregue a página e tente novamente.',
    },
    limited: {
      title: 'Solicitações demais',
      text: 'Muitas solicitações vieram da sua rede. Nada foi alterado. Espere um minuto e recarregue esta página.',
    },
    unavailable: {
      title: 'Isso não é possível no momento',
      text: 'Ocorreu um erro do nosso lado. Nada foi alterado. Recarregue esta página em alguns minutos.',
    },
  },
};

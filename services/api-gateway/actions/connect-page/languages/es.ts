import type { Texts } from '../texts.ts';

/** The connect page in Spanish. */
export const es: Texts = {
  tag: 'es',
  direction: 'ltr',
  pickTitle: 'Conecta tus dispositivos y aplicaciones',
  pickText:
    'Elige los servicios de los que {app} puede recibir datos. Antes de conectar nada, verás qué se comparte.',
  nothingOffered: 'En este momento no se puede conectar nada. Vuelve a la aplicación e inténtalo más tarde.',
  reasons: {
    access_ended: 'El acceso a {providers} ha terminado y no llegan datos nuevos: vuelve a conectar.',
    no_data:
      'Desde hace un tiempo no llegan datos nuevos de {providers}: abre la aplicación de {providers} en tu dispositivo para que pueda enviar datos, o vuelve a conectar.',
  },
  states: {
    none: 'No conectado',
    connected: 'Conectado',
    expired: 'Acceso terminado',
  },
  choose: { none: 'Conectar', connected: 'Conectar de\u00a0nuevo', expired: 'Reconectar' },
  consentTitle: 'Conectar {provider}',
  consentText: 'Si continúas, {app} recibe estos datos de tu cuenta de {provider}:',
  shares: {
    activities: 'Actividades y entrenamientos',
    daily_activity: 'Pasos, distancia y calorías de cada día',
    heart_rate: 'Frecuencia cardíaca',
    oxygen_saturation: 'Oxígeno en sangre',
    sleep: 'Sueño',
    stress: 'Estrés y recuperación',
    body: 'Peso y composición corporal',
    blood_pressure: 'Presión arterial',
    glucose: 'Glucosa en sangre e insulina',
    nutrition: 'Nutrición',
    mindfulness: 'Sesiones de atención plena',
    cycle: 'Ciclo menstrual',
    routes: 'Rutas de tus entrenamientos: lugares, velocidad y altitud',
    profile: 'Ajustes de privacidad de tu perfil',
  },
  consentPeriod: 'Los datos de las últimas semanas y los nuevos se comparten hasta que desconectes.',
  notShared: 'Tu contraseña de {provider}, tus contactos y tus mensajes no se comparten.',
  consentRights:
    'Eliges los permisos en la página siguiente, en {provider}, y puedes terminar el acceso allí o en {app} en cualquier momento.',
  region: {
    question: '¿En qué país está registrada tu cuenta de {provider}?',
    choose: 'Elige una opción',
    elsewhere: 'Otro país',
  },
  agree: 'Aceptar y continuar a {provider}',
  back: 'Atrás',
  leaving: 'Continuando a {provider}…',
  follow: 'Continuar a {provider}',
  codeTitle: 'Tu código para {provider}',
  codeText:
    'Introduce este código en {app} en el dispositivo en un plazo de 15 minutos. Solo funciona una vez. No se lo des a nadie.',
  done: 'Volver a {app}',
  mayClose: 'Cuando termines, puedes cerrar esta página y volver a la aplicación.',
  connected: '{provider} está conectado.',
  failures: {
    access_denied: 'No permitiste el acceso, así que {provider} no se ha conectado. No se ha guardado nada.',
    permission_missing:
      'Sin el permiso de leer actividades o datos de salud no se puede conectar {provider}. Vuelve a conectar y déjalo marcado.',
    link_expired: 'La página de {provider} estuvo abierta demasiado tiempo. Vuelve a conectar.',
    code_expired:
      'La confirmación de {provider} ha llegado demasiado tarde, porque solo vale durante poco tiempo. Vuelve a conectar.',
    provider_refused: '{provider} no ha confirmado el acceso. Vuelve a conectar.',
    provider_unavailable: '{provider} no responde en este momento. Vuelve a conectar dentro de unos minutos.',
    account_taken:
      'Esta cuenta de {provider} está conectada a otra persona. Cierra la sesión en {provider} y vuelve a conectar con tu propia cuenta.',
    user_gone: 'Tu cuenta en la aplicación ya no existe.',
    unavailable: 'Ha ocurrido un error por nuestra parte. Vuelve a conectar dentro de unos minutos.',
  },
  problems: {
    unknown: {
      title: 'Este enlace no es válido',
      text: 'Está incompleto o no procede de este servicio. No se ha cambiado nada. Vuelve a la aplicación y empieza de nuevo.',
    },
    expired: {
      title: 'Este enlace ha caducado',
      text: 'Un enlace vale 30 minutos. Lo que se conectó sigue conectado. Vuelve a la aplicación y empieza de nuevo.',
    },
    foreign: {
      title: 'Este enlace pertenece a otro navegador',
      text: 'Solo funciona en el navegador en el que se aceptó primero, con las cookies permitidas. No se ha cambiado nada. Continúa en ese navegador, o vuelve a la aplicación y empieza de nuevo.',
    },
    user_gone: {
      title: 'Esta cuenta ya no existe',
      text: 'La cuenta para la que se creó este enlace se ha eliminado. No se ha conectado nada. Si no lo esperabas, pregunta al operador de la aplicación.',
    },
    form: {
      title: 'Inténtalo de nuevo',
      text: 'La solicitud no procedía de esta página, o la página está desactualizada. No se ha cambiado nada. Vuelve atrás, recarga la página e inténtalo de nuevo.',
    },
    limited: {
      title: 'Demasiadas solicitudes',
      text: 'Han llegado muchas solicitudes de tu red. No se ha cambiado nada. Espera un minuto y recarga esta página.',
    },
    unavailable: {
      title: 'Ahora no es posible',
      text: 'Ha ocurrido un error por nuestra parte. No se ha cambiado nada. Recarga esta página dentro de unos minutos.',
    },
  },
};

/** Suunto's sports by `activityId`, from 0. The notes on the API have no such list: assumed from Suunto's public one. */
const names = [
  ...'walking,running,cycling,cross country skiing,sports,sports,sports,sports,sports,sports'.split(','),
  ...'mountain biking,hiking,roller skating,downhill skiing,paddling,rowing,golf,indoor sports'.split(','),
  ...'parkour,ball games,outdoor gym,swimming,trail running,gym,nordic walking,horseback riding'.split(','),
  ...'motorsports,skateboarding,water sports,climbing,snowboarding,ski touring,fitness class'.split(','),
  ...'soccer,tennis,basketball,badminton,baseball,volleyball,american football,table tennis'.split(','),
  ...'racquetball,squash,floorball,handball,softball,bowling,cricket,rugby,ice skating'.split(','),
  ...'ice hockey,yoga,indoor cycling,treadmill,crossfit,crosstrainer,roller skiing'.split(','),
  ...'indoor rowing,stretching,track and field,orienteering,standup paddling,combat sport'.split(','),
  ...'kettlebell,dancing,snowshoeing,frisbee golf,futsal,multisport,aerobics,trekking,sailing'.split(','),
  ...'kayaking,circuit training,triathlon,padel,cheerleading,boxing,scuba diving,freediving'.split(','),
  ...'adventure racing,gymnastics,canoeing,mountaineering,telemark skiing,open water swimming'.split(','),
  ...'windsurfing,kitesurfing,paragliding,sports,snorkeling,surfing,swimrun,duathlon'.split(','),
  ...'aquathlon,obstacle racing,fishing,hunting,transition,gravel cycling,mermaiding'.split(','),
  ...'spearfishing,jump rope,track running,calisthenics,e-biking,e-mtb,backcountry skiing'.split(','),
  ...'wheelchair sport,hand cycling,splitboarding,biathlon,meditation,field hockey,cyclocross'.split(','),
  ...'vertical running,ski mountaineering,skate skiing,classic skiing,chores,pilates,yoga'.split(','),
].map((name) => name.replace(/[ -]/g, '_'));

/** The name of a sport, such as `trail_running`. Null: the value is no id of a sport. */
export function sportNamed(id: unknown): string | null {
  return typeof id === 'number' && Number.isInteger(id) ? (names[id] ?? `activity_${id}`) : null;
}

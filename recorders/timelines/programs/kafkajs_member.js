// One consumer of KafkaJS, driven by lines on standard input; it reports what it sees as JSON lines.
// Arguments: KEY=VALUE, consumer settings by their Kafka names, and topics=. Input: "start", "close", "slow_batch MS".
// Times are milliseconds since the epoch. It does what recorders/broker/java/Member.java does. KafkaJS has no listener:
// GROUP_JOIN stands for assigned, REBALANCING for revoked, and its line about an unknown member for lost.

const readline = require('readline')
const { Kafka, logLevel } = require('kafkajs')

const settings = Object.fromEntries(process.argv.slice(2).map(a => [a.slice(0, a.indexOf('=')), a.slice(a.indexOf('=') + 1)]))
const report = (kind, more = {}) => process.stdout.write(JSON.stringify({ at_ms: Date.now(), kind, ...more }) + '\n')
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))
const LONG_BATCH_MS = 500
const LOST = 'The coordinator is not aware of this member, re-joining the group'
let held = []
let memberId = ''
let slowMs = 0
let consumer = null

function call(kind, partitions) {
  const more = { member_id: memberId, partitions }
  report(kind, more)
  report('callback_end', { of: kind, ...more })
  held = kind === 'assigned' ? partitions : []
}

async function start() {
  report('start')
  const kafka = new Kafka({
    clientId: settings['client.id'],
    brokers: [settings['bootstrap.servers']],
    logLevel: logLevel.ERROR,
    logCreator: () => ({ log }) => log.message === LOST && held.length && call('lost', held),
  })
  consumer = kafka.consumer({
    groupId: settings['group.id'],
    sessionTimeout: Number(settings['session.timeout.ms']),
    heartbeatInterval: Number(settings['heartbeat.interval.ms']),
    rebalanceTimeout: Number(settings['max.poll.interval.ms']),
  })
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    memberId = payload.memberId
    const partitions = Object.entries(payload.memberAssignment).flatMap(([topic, ps]) => ps.map(p => [topic, p]))
    call('assigned', partitions)
  })
  consumer.on(consumer.events.REBALANCING, () => call('revoked', held))
  consumer.on(consumer.events.CRASH, ({ payload }) => report('poll_error', { error: payload.error.name }))
  await consumer.connect()
  await consumer.subscribe({ topics: settings.topics.split(','), fromBeginning: settings['auto.offset.reset'] === 'earliest' })
  await consumer.run({
    eachMessage: async () => {
      const busyMs = slowMs
      slowMs = 0
      if (busyMs >= LONG_BATCH_MS) report('processing', { ms: busyMs })
      if (busyMs > 0) await sleep(busyMs)
      if (busyMs >= LONG_BATCH_MS) report('processing_end')
    },
  })
}

async function close() {
  report('closing', { member_id: memberId })
  await consumer.disconnect() // it leaves the group
  if (held.length) call('revoked', held)
  report('closed')
  process.exit(0)
}

readline
  .createInterface({ input: process.stdin })
  .on('line', line => {
    const words = line.trim().split(' ')
    if (words[0] === 'start') start()
    if (words[0] === 'close') close()
    if (words[0] === 'slow_batch') slowMs = Number(words[1])
  })
  .on('close', () => process.exit(0)) // whoever drove us is gone
report('ready')

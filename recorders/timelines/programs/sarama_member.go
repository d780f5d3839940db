// One consumer of Sarama, driven by lines on standard input; it reports what it sees as JSON lines.
// Arguments: KEY=VALUE, consumer settings by their Kafka names, and topics=. Input: "start", "close", "slow_batch MS".
// Times are milliseconds since the epoch. It does what recorders/broker/java/Member.java does. Setup stands for assigned
// and Cleanup for revoked: Sarama does not say when partitions are lost.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"
)

const longBatchMs = 500

var (
	output sync.Mutex
	slowMs atomic.Int64
)

type fields map[string]any

func report(kind string, more fields) {
	output.Lock()
	defer output.Unlock()
	line := fields{"at_ms": time.Now().UnixMilli(), "kind": kind}
	for key, value := range more {
		line[key] = value
	}
	encoded, _ := json.Marshal(line)
	os.Stdout.Write(append(encoded, '\n'))
}

type member struct{ id string }

func (m *member) call(kind string, session sarama.ConsumerGroupSession) error {
	m.id = session.MemberID()
	partitions := [][]any{}
	for topic, numbers := range session.Claims() {
		for _, number := range numbers {
			partitions = append(partitions, []any{topic, number})
		}
	}
	sort.Slice(partitions, func(i, j int) bool { return partitions[i][1].(int32) < partitions[j][1].(int32) })
	more := fields{"member_id": m.id, "generation": session.GenerationID(), "partitions": partitions}
	report(kind, more)
	more["of"] = kind
	report("callback_end", more)
	return nil
}

func (m *member) Setup(session sarama.ConsumerGroupSession) error   { return m.call("assigned", session) }
func (m *member) Cleanup(session sarama.ConsumerGroupSession) error { return m.call("revoked", session) }

func (m *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		busyMs := slowMs.Swap(0)
		if busyMs >= longBatchMs {
			report("processing", fields{"ms": busyMs})
		}
		time.Sleep(time.Duration(busyMs) * time.Millisecond)
		if busyMs >= longBatchMs {
			report("processing_end", nil)
		}
		session.MarkMessage(message, "")
	}
	return nil
}

func configured(settings map[string]string) *sarama.Config {
	ms := func(name string) time.Duration {
		value, _ := strconv.Atoi(settings[name])
		return time.Duration(value) * time.Millisecond
	}
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.ClientID = settings["client.id"]
	config.Consumer.Group.Session.Timeout = ms("session.timeout.ms")
	config.Consumer.Group.Heartbeat.Interval = ms("heartbeat.interval.ms")
	config.Consumer.Group.Rebalance.Timeout = ms("max.poll.interval.ms")
	config.Consumer.Group.InstanceId = settings["group.instance.id"]
	strategies := map[string]sarama.BalanceStrategy{
		"range":      sarama.NewBalanceStrategyRange(),
		"roundrobin": sarama.NewBalanceStrategyRoundRobin(),
	}
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{
		strategies[settings["partition.assignment.strategy"]],
	}
	return config
}

func consume(settings map[string]string, m *member, started chan<- sarama.ConsumerGroup, done chan<- struct{}) {
	defer close(done)
	group, err := sarama.NewConsumerGroup(strings.Split(settings["bootstrap.servers"], ","), settings["group.id"], configured(settings))
	started <- group
	for err == nil {
		err = group.Consume(context.Background(), strings.Split(settings["topics"], ","), m)
		if err != nil && !errors.Is(err, sarama.ErrClosedConsumerGroup) {
			report("poll_error", fields{"error": err.Error()})
			err = nil
		}
	}
}

func main() {
	settings := map[string]string{}
	for _, argument := range os.Args[1:] {
		key, value, _ := strings.Cut(argument, "=")
		settings[key] = value
	}
	m := &member{}
	started, done := make(chan sarama.ConsumerGroup, 1), make(chan struct{})
	lines := bufio.NewScanner(os.Stdin)
	report("ready", nil)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "start":
			report("start", nil)
			go consume(settings, m, started, done)
		case "slow_batch":
			value, _ := strconv.Atoi(words[1])
			slowMs.Store(int64(value))
		case "close":
			report("closing", fields{"member_id": m.id})
			(<-started).Close()
			<-done
			report("closed", nil)
			return
		}
	}
}

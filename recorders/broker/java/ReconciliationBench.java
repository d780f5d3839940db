// CPU times of Kafka's own classes for a target of a consumer group and one step of every member towards it: TargetAssignmentBuilder
// with UniformAssignor, CurrentAssignmentBuilder, and ConsumerGroup that takes in what they say. Records are made, but neither
// written nor read.
//
// Arguments: members, topics, partitions of a topic, warm-up runs, runs. Prints per situation: name, nanoseconds of the target, of
// CurrentAssignmentBuilder alone, of the steps taken (medians), members that have reached the target.

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordHelpers;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.TargetAssignmentBuilder.ConsumerTargetAssignmentBuilder;
import org.apache.kafka.coordinator.group.modern.TargetAssignmentBuilder.TargetAssignmentResult;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroupMember;
import org.apache.kafka.coordinator.group.modern.consumer.CurrentAssignmentBuilder;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.timeline.SnapshotRegistry;

public class ReconciliationBench {
    static final PartitionAssignor ASSIGNOR = new UniformAssignor();
    static KRaftCoordinatorMetadataImage image;
    static List<String> topics = new ArrayList<>();
    static long sink;

    static void makeTopics(int count, int partitions) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
        for (int i = 0; i < count; i++) {
            String name = String.format("t%03d", i);
            Uuid id = ServerAssignorBench.id(name);
            topics.add(name);
            delta.replay(new TopicRecord().setName(name).setTopicId(id));
            for (int p = 0; p < partitions; p++) {
                delta.replay(new PartitionRecord().setTopicId(id).setPartitionId(p).setReplicas(List.of(1)).setIsr(List.of(1)).setLeader(1));
            }
        }
        image = new KRaftCoordinatorMetadataImage(delta.apply(new MetadataProvenance(1, 1, 1, true)));
    }

    static ConsumerGroupMember member(String id) {
        return new ConsumerGroupMember.Builder(id).setClientId(id).setClientHost("h").setRebalanceTimeoutMs(60_000)
            .setSubscribedTopicNames(topics).build();
    }

    static ConsumerGroup group(int members) {
        LogContext log = new LogContext();
        ConsumerGroup group = new ConsumerGroup(log, new SnapshotRegistry(log), "g");
        for (int i = 0; i < members; i++) group.updateMember(member(String.format("consumer-%04d", i)));
        group.setGroupEpoch(2);
        return group;
    }

    static void target(ConsumerGroup group) {
        TargetAssignmentResult result = new ConsumerTargetAssignmentBuilder(group.groupId(), group.groupEpoch(), ASSIGNOR)
            .withTime(Time.SYSTEM)
            .withMembers(group.members())
            .withSubscriptionType(group.subscriptionType())
            .withTargetAssignment(group.targetAssignment())
            .withInvertedTargetAssignment(group.invertedTargetAssignment())
            .withMetadataImage(image)
            .withResolvedRegularExpressions(group.resolvedRegularExpressions())
            .build();
        sink += result.records().size();
        result.targetAssignment().forEach((id, given) -> group.updateTargetAssignment(id, new Assignment(given.partitions())));
        group.setTargetAssignmentMetadata(group.groupEpoch(), 1);
    }

    static ConsumerGroupMember next(ConsumerGroup group, ConsumerGroupMember member) {
        return new CurrentAssignmentBuilder(member)
            .withMetadataImage(image)
            .withTargetAssignment(group.assignmentEpoch(), group.targetAssignment(member.memberId()))
            .withHasSubscriptionChanged(false)
            .withResolvedRegularExpressions(Map.of())
            .withCurrentPartitionEpoch(group::currentPartitionEpoch)
            .withOwnedTopicPartitions(List.of())
            .build();
    }

    // What every member's step would be, without taking it.
    static void look(ConsumerGroup group) {
        for (ConsumerGroupMember member : group.members().values()) sink += next(group, member).memberEpoch();
    }

    static void step(ConsumerGroup group) {
        for (String id : new ArrayList<>(group.members().keySet())) {
            ConsumerGroupMember member = group.members().get(id);
            ConsumerGroupMember after = next(group, member);
            if (after.equals(member)) continue;
            sink += GroupCoordinatorRecordHelpers.newConsumerGroupCurrentAssignmentRecord(group.groupId(), after).hashCode();
            group.updateMember(after);
        }
    }

    static int settled(ConsumerGroup group) {
        int count = 0;
        for (ConsumerGroupMember m : group.members().values()) if (m.isReconciledTo(group.assignmentEpoch())) count++;
        return count;
    }

    // A tenth of the members leaves, as many come.
    static void exchange(ConsumerGroup group, int members) {
        for (int i = 0; i < members / 10; i++) {
            String gone = String.format("consumer-%04d", i);
            group.removeMember(gone);
            group.removeTargetAssignment(gone);
            group.updateMember(member(String.format("consumer-x%03d", i)));
        }
        group.setGroupEpoch(group.groupEpoch() + 1);
    }

    public static void main(String[] args) {
        int members = Integer.parseInt(args[0]);
        makeTopics(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        int warmUps = Integer.parseInt(args[3]);
        int runs = Integer.parseInt(args[4]);
        for (String situation : List.of("fresh", "tenth-exchanged")) {
            long[] targets = new long[runs];
            long[] looks = new long[runs];
            long[] steps = new long[runs];
            int reached = 0;
            for (int i = -warmUps; i < runs; i++) {
                ConsumerGroup group = group(members);
                if (situation.equals("tenth-exchanged")) {
                    target(group);
                    step(group);
                    exchange(group, members);
                }
                long start = ServerAssignorBench.CPU.getCurrentThreadCpuTime();
                target(group);
                long between = ServerAssignorBench.CPU.getCurrentThreadCpuTime();
                look(group);
                long looked = ServerAssignorBench.CPU.getCurrentThreadCpuTime();
                step(group);
                long end = ServerAssignorBench.CPU.getCurrentThreadCpuTime();
                if (i < 0) continue;
                targets[i] = between - start;
                looks[i] = looked - between;
                steps[i] = end - looked;
                reached = settled(group);
            }
            Arrays.sort(targets);
            Arrays.sort(looks);
            Arrays.sort(steps);
            System.out.println(situation + " " + targets[runs / 2] + " " + looks[runs / 2] + " " + steps[runs / 2] + " " + reached);
        }
        if (sink == 42) System.err.println(sink);
    }
}

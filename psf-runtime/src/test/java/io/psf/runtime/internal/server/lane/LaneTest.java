package io.psf.runtime.internal.server.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LaneTest {
    private final Lane lane = new Lane("lane", new FramePool(0));
    private final List<String> ran = new ArrayList<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    private final Map<String, CallSource> connections = new HashMap<>();
    private final Map<Integer, CallOrder> shards = new HashMap<>();

    /** A test, for example, runs the work when it wants, and has a time of its own. */
    private static final class Runner implements LaneRunner {
        private final List<Runnable> given = new ArrayList<>();
        private final Map<Duration, CompletableFuture<Void>> due = new HashMap<>();

        @Override
        public void execute(Runnable work) {
            given.add(work);
        }

        @Override
        public void completeAfter(CompletableFuture<Void> future, Duration delay) {
            due.put(delay, future);
        }
    }

    @Test
    void aLaneWithoutAThreadPassesItsWorkAndItsTimeToItsRunner() {
        Runner runner = new Runner();
        Lane without = new Lane("without", new FramePool(0), runner);
        without.execute(() -> ran.add("one " + without.isHere()));
        without.execute(some("a", 1), 7);
        new Alarms(without).after(Duration.ofHours(1), () -> ran.add("an hour later"));
        assertThat(ran).isEmpty();
        assertThat(without.hasRunner()).isTrue();
        List.copyOf(runner.given).forEach(Runnable::run);
        assertThat(ran).containsExactly("one true", "a1");
        assertThat(without.turn()).isEqualTo(2);
        assertThat(without.isHere()).isFalse();
        assertThat(runner.due).containsOnlyKeys(Duration.ofHours(1));
        runner.due.values().forEach(due -> due.complete(null));
        runner.given.get(2).run();
        assertThat(ran).endsWith("an hour later");
        runner.given.clear();
        without.execute(() -> {
            throw new IllegalStateException("told to the runner");
        });
        assertThatThrownBy(runner.given.get(0)::run).hasMessage("told to the runner");
        assertThat(without.isHere()).isFalse();
    }

    /** A turn of a connection, in the order of its numbers. */
    private RecordedCall some(String connection, long arrival) {
        return on('s', connection, arrival);
    }

    private RecordedCall on(int shard, String connection, long arrival) {
        return new RecordedCall(
                connection + arrival,
                connections.computeIfAbsent(connection, c -> new RecordedCall.Always()),
                arrival,
                shards.computeIfAbsent(shard, s -> new CallOrder(lane)),
                null,
                ran);
    }

    /** A chain on several shards, in the order of its numbers. */
    private record Several(String name, List<RecordedCall> inOrder, List<String> ran) implements Turn {
        @Override
        public void run() {
            ran.add(name);
        }

        @Override
        public OrderedCall first() {
            return inOrder.get(0);
        }

        @Override
        public Set<CallOrder> orders() {
            Set<CallOrder> orders = new HashSet<>();
            inOrder.forEach(call -> orders.addAll(call.orders()));
            return orders;
        }
    }

    private Several several(String shards, long arrival) {
        return new Several(
                shards + arrival,
                shards.chars()
                        .mapToObj(shard -> on(shard, "one connection", arrival))
                        .toList(),
                ran);
    }

    @Test
    void aLaneIsIdleAgainAfterAThreadThatHadNoMemoryToRunIt() throws InterruptedException {
        RecordedChannel starved = new RecordedChannel() {
            @Override
            public void mayTakeLong() {
                throw new OutOfMemoryError("none");
            }
        };
        RecordedCall turn = some("a", 0);
        assertThatThrownBy(() -> lane.runHere(turn, starved)).isInstanceOf(OutOfMemoryError.class);
        assertThat(lane.isIdle()).isTrue();
        assertThat(lane.runHere(turn, new RecordedChannel())).isTrue();
        assertThat(ran).containsExactly("a0");
    }

    @AfterEach
    void end() {
        lane.close();
    }

    private void add(String connection, long arrival, int priority) {
        lane.execute(some(connection, arrival), priority);
    }

    /** Occupies the lane until the gate opens. */
    private void hold() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        lane.execute(() -> {
            held.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        held.await();
    }

    private void runAll() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        gate.countDown();
        lane.execute(
                new Turn() {
                    @Override
                    public void run() {
                        done.countDown();
                    }

                    @Override
                    public OrderedCall first() {
                        return on('t', "the last one", 0);
                    }

                    @Override
                    public Set<CallOrder> orders() {
                        return Set.of();
                    }
                },
                Integer.MIN_VALUE);
        done.await();
    }

    @Test
    void higherPrioritiesAreRunFirstAndOnePriorityInOrder() throws InterruptedException {
        hold();
        add("a", 0, 0);
        add("b", 0, -5);
        add("c", 0, 7);
        add("d", 0, 0);
        add("e", 0, 7);
        add("f", 0, 100);
        runAll();
        assertThat(ran).containsExactly("f0", "c0", "e0", "a0", "d0", "b0");
    }

    @Test
    void eachPieceOfWorkHasATurnOfItsOwn() throws InterruptedException {
        List<Long> turns = Collections.synchronizedList(new ArrayList<>());
        hold();
        for (int i = 0; i < 3; i++) {
            lane.execute(() -> {
                turns.add(lane.turn());
                turns.add(lane.turn());
            });
        }
        runAll();
        assertThat(turns).hasSize(6);
        assertThat(new TreeSet<>(turns))
                .as("the same during a piece, another for the next")
                .hasSize(3);
    }

    @Test
    void whatOneConnectionSentKeepsItsOrder() throws InterruptedException {
        hold();
        add("a", 0, 0);
        add("b", 0, 0);
        add("a", 1, -3);
        add("b", 1, 0);
        add("a", 2, 9);
        runAll();
        assertThat(ran).containsExactly("a0", "a1", "a2", "b0", "b1");
    }

    @Test
    void atRandomEachConnectionKeepsItsOrderAndNothingIsLost() throws InterruptedException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Long> next = new TreeMap<>();
        gate.countDown();
        int n = 5_000;
        for (int i = 0; i < n; i++) {
            String connection = String.valueOf((char) ('a' + random.nextInt(4)));
            long arrival = next.merge(connection, 1L, Long::sum);
            add(connection, arrival, random.nextInt(3) == 0 ? random.nextInt(-9, 9) : 0);
        }
        runAll();
        assertThat(ran).as("seed %d", seed).hasSize(n);
        for (String connection : next.keySet()) {
            List<String> its =
                    ran.stream().filter(each -> each.startsWith(connection)).toList();
            for (int i = 0; i < its.size(); i++) {
                assertThat(its.get(i)).as("seed %d", seed).isEqualTo(connection + (i + 1));
            }
        }
    }

    @Test
    void whatIsBroughtForwardBringsWhatPrecedesIt() throws InterruptedException {
        hold();
        lane.execute(several("z", 0), 0);
        lane.execute(several("y", 1), -1);
        lane.execute(several("yz", 2), -2);
        lane.execute(several("xz", 3), 0);
        lane.execute(several("x", 4), 5);
        runAll();
        assertThat(ran).containsExactly("z0", "y1", "yz2", "xz3", "x4");
    }

    /** One of a low priority that waits does not make all the others look for what precedes them. */
    @Test
    void aTurnThatWaitsForLongDoesNotHoldUpTheOthers() throws InterruptedException {
        hold();
        add("low", 0, -1);
        int n = 100_000; // the square of it takes more time than there is
        for (int i = 0; i < n; i++) {
            add("b", i, 0);
        }
        runAll();
        assertThat(ran).hasSize(n + 1).endsWith("low0");
    }

    @Test
    void whatFailsOrInterruptsDoesNotEndTheLane() throws InterruptedException {
        lane.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        lane.execute(() -> Thread.currentThread().interrupt());
        CountDownLatch done = new CountDownLatch(1);
        lane.execute(done::countDown);
        done.await();
    }

    @Test
    void whatHasComeIsRunBeforeTheEnd() throws InterruptedException {
        hold();
        add("a", 0, 0);
        add("b", 0, -1);
        gate.countDown();
        lane.close();
        assertThat(ran).containsExactly("a0", "b0");
    }

    @Test
    void workIsCalledOnTheLanesThread() {
        Thread here = Thread.currentThread();
        Thread there = lane.runAndWait(Thread::currentThread);
        assertThat(there).isNotSameAs(here);
        assertThat(lane.runAndWait(Thread::currentThread)).isSameAs(there);
        assertThatThrownBy(() -> lane.runAndWait(() -> {
                    throw new PsException(PsException.Code.STORAGE, "full");
                }))
                .hasMessage("STORAGE: full");
        List<Thread> last = new ArrayList<>();
        lane.close(() -> last.add(Thread.currentThread()));
        assertThat(last).containsExactly(there);
        assertThatThrownBy(() -> lane.runAndWait(Thread::currentThread)).hasMessage("CLOSED: the server ends");
    }
}

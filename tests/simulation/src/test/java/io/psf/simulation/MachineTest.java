package io.psf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.simulation.machine.Machine;
import io.psf.simulation.machine.NodeThreads;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** This class is rewritten itself: its clocks, threads and monitors are those of the machine. */
@Timeout(60)
@SuppressWarnings({"ThreadPriorityCheck", "WaitNotInLoop"}) // the seed decides, and nothing wakes a thread by chance
class MachineTest {
    private static final Machine.Bounds BOUNDS = new Machine.Bounds(100_000, TimeUnit.HOURS.toNanos(2));

    private final Object monitor = new Object();
    private final List<String> order = new ArrayList<>();
    private int count;

    @BeforeEach
    void requireSimulation() {
        Simulated.require();
    }

    /** What a test does on the machine. */
    private interface Body {
        void run() throws Exception;
    }

    private static Machine run(long seed, Body body) {
        Machine machine = new Machine(seed, true);
        Exception[] failure = new Exception[1];
        assertThat(machine.run(BOUNDS, () -> {
                    try {
                        body.run();
                    } catch (Exception e) {
                        failure[0] = e;
                    }
                }))
                .isEqualTo(Machine.End.DONE);
        assertThat(failure[0]).isNull();
        assertThat(machine.foreigners()).isZero();
        return machine;
    }

    @Test
    void anHourPassesAtOnce() {
        Machine machine = run(1, () -> {
            long begin = System.nanoTime();
            Thread.sleep(3_600_000);
            assertThat((System.nanoTime() - begin) / 1e9).isBetween(3600.0, 3600.001);
        });
        assertThat(machine.millis()).isEqualTo(3_600_000);
    }

    @Test
    void threadsTakeTurnsInAnOrderThatTheSeedDraws() {
        List<List<String>> orders = new ArrayList<>();
        for (long seed : new long[] {1, 1, 2, 3, 4}) {
            order.clear();
            run(seed, () -> {
                List<Thread> threads = new ArrayList<>();
                for (String name : List.of("a", "b", "c", "d")) {
                    Thread thread = new Thread(() -> {
                        order.add(name);
                        Thread.yield();
                        order.add(name);
                    });
                    thread.start();
                    threads.add(thread);
                }
                for (Thread each : threads) {
                    each.join();
                }
            });
            orders.add(List.copyOf(order));
        }
        assertThat(orders.get(0)).isEqualTo(orders.get(1)).hasSize(8);
        assertThat(orders.subList(1, 5)).doesNotHaveDuplicates();
    }

    @Test
    void aMonitorHasOneOwner() {
        run(1, () -> {
            CountDownLatch over = new CountDownLatch(8);
            for (int i = 0; i < 8; i++) {
                new Thread(() -> {
                            for (int n = 0; n < 20; n++) {
                                increment();
                            }
                            over.countDown();
                        })
                        .start();
            }
            over.await();
            assertThat(count).isEqualTo(160);
        });
    }

    private synchronized void increment() {
        int before = count;
        Thread.yield();
        count = before + 1;
    }

    @Test
    void aWaitEndsByItsLimitOrItsNotification() {
        run(1, () -> {
            synchronized (monitor) {
                long begin = System.nanoTime();
                monitor.wait(500);
                assertThat((System.nanoTime() - begin) / 1_000_000).isEqualTo(500);
                new Thread(() -> {
                            synchronized (monitor) {
                                order.add("notifies");
                                monitor.notifyAll();
                            }
                        })
                        .start();
                monitor.wait();
                assertThat(order).containsExactly("notifies");
            }
        });
    }

    @Test
    void aNotifiedThreadWaitsForTheOwnerOfTheMonitor() {
        for (long seed = 0; seed < 20; seed++) {
            count = 0;
            run(seed, () -> {
                Thread waiter = new Thread(() -> {
                    synchronized (monitor) {
                        awaitNotification();
                        incrementSlowly();
                    }
                });
                waiter.start();
                Thread.sleep(1);
                synchronized (monitor) {
                    monitor.notifyAll();
                }
                synchronized (monitor) {
                    incrementSlowly();
                }
                waiter.join();
                assertThat(count).isEqualTo(2);
            });
        }
    }

    private void awaitNotification() {
        try {
            monitor.wait();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void incrementSlowly() {
        int before = count;
        Thread.yield();
        Thread.yield();
        count = before + 1;
    }

    /** A thread of the JVM has a monitor of the JDK when a thread of the machine comes. */
    @Test
    void aThreadThatWaitsForTheJvmGoesOnBeforeAnyOther() throws InterruptedException {
        for (long seed = 0; seed < 10; seed++) {
            order.clear();
            List<String> shared = Collections.synchronizedList(new ArrayList<>(List.of("element")));
            AtomicBoolean isHeld = new AtomicBoolean();
            AtomicReference<Thread> comes = new AtomicReference<>();
            Thread jvm = new Thread(() -> shared.forEach(each -> {
                isHeld.set(true);
                while (comes.get() == null || comes.get().getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
            }));
            jvm.start();
            run(seed, () -> {
                while (!isHeld.get()) {
                    Thread.onSpinWait();
                }
                Thread other = new Thread(() -> order.add("other"));
                other.start();
                comes.set(Thread.currentThread());
                order.add("first of " + shared.size());
                other.join();
            });
            jvm.join();
            assertThat(order).containsExactly("first of 1", "other");
        }
    }

    @Test
    void timersAndTimeLimitsAreVirtual() {
        run(1, () -> {
            ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, work -> new Thread(work, "timer"));
            CompletableFuture<String> done = new CompletableFuture<>();
            var unused = timer.schedule(() -> done.complete("done"), 10, TimeUnit.MINUTES);
            assertThat(done.get(11, TimeUnit.MINUTES)).isEqualTo("done");
            assertThat(new CompletableFuture<String>()
                            .completeOnTimeout("late", 1, TimeUnit.MINUTES)
                            .get())
                    .isEqualTo("late");
            timer.shutdownNow();
        });
    }

    @Test
    void aPausedNodeGoesOnAndAKilledOneDoesNot() {
        Machine machine = new Machine(1, true);
        NodeThreads node = machine.node("node");
        List<Long> beats = new ArrayList<>();
        machine.run(BOUNDS, () -> {
            try {
                node.start("beats", () -> {
                    while (true) {
                        beats.add(machine.millis());
                        sleep(100);
                    }
                });
                Thread.sleep(250);
                node.pause();
                Thread.sleep(1_000);
                node.resume();
                Thread.sleep(200);
                node.kill();
                Thread.sleep(1_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(beats).containsExactly(0L, 100L, 200L, 1250L, 1350L);
    }

    @Test
    void aFastClockShowsTwiceTheTime() {
        Machine machine = new Machine(1, true);
        NodeThreads node = machine.node("node");
        long[] shown = new long[1];
        machine.run(BOUNDS, () -> {
            node.setRate(2);
            Thread thread = node.start("sleeper", () -> {
                long begin = System.nanoTime();
                sleep(1_000);
                shown[0] = (System.nanoTime() - begin) / 1_000_000;
            });
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(shown[0]).isEqualTo(1_000);
        assertThat(machine.millis()).isEqualTo(500);
    }

    @Test
    void aTimerFollowsTheClockOfItsNode() {
        Machine machine = new Machine(1, true);
        NodeThreads node = machine.node("node");
        machine.run(BOUNDS, () -> {
            Thread thread = node.start("sleeper", () -> sleep(1_000));
            try {
                Thread.sleep(500);
                node.setRate(2);
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(machine.millis()).isEqualTo(750);
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void threadsThatWaitForEachOtherEndTheRun() {
        Machine machine = new Machine(1, false);
        assertThat(machine.run(BOUNDS, () -> new CompletableFuture<>().join())).isEqualTo(Machine.End.DEADLOCK);
    }
}

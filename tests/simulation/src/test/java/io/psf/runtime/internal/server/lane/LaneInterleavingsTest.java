package io.psf.runtime.internal.server.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.simulation.Interleavings;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LaneInterleavingsTest {
    private static final Channel CHANNEL = (Channel) Proxy.newProxyInstance(
            Channel.class.getClassLoader(), new Class<?>[] {Channel.class}, (self, method, arguments) -> null);

    /** A call of a source on one shard, whose order is kept. */
    private record Call(long arrival, CallSource source, CallOrder order, Runnable work) implements Turn, OrderedCall {
        @Override
        public OrderedCall first() {
            return this;
        }

        @Override
        public Set<CallOrder> orders() {
            return Set.of(order);
        }

        @Override
        public @Nullable Completion before() {
            return null;
        }

        @Override
        public boolean mayRun(Runnable again) {
            return true;
        }

        @Override
        public void run() {
            work.run();
        }

        @Override
        public void serve() {
            work.run();
        }

        @Override
        public void refuse(PsException why) {}
    }

    private static final class Always implements CallSource {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean mayRun(Runnable again) {
            return true;
        }
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // the simulation switches threads there
    void workRunsOnceAndOneAtATimeOnAnyThread() {
        Interleavings.check(threads -> {
            Lane lane = new Lane("lane", new FramePool(0));
            int[] running = new int[1];
            CountDownLatch ran = new CountDownLatch(4);
            Runnable work = () -> {
                assertThat(running[0]++).isZero();
                Thread.yield();
                running[0]--;
                ran.countDown();
            };
            for (int i = 0; i < 2; i++) {
                Turn turn = new Call(i, new Always(), new CallOrder(Runnable::run), work);
                threads.start(() -> lane.execute(work));
                threads.start(() -> {
                    if (!lane.runHere(turn, CHANNEL)) {
                        lane.execute(turn, 1);
                    }
                });
            }
            threads.await();
            ran.await();
            lane.close();
            assertThat(lane.isIdle()).isTrue();
        });
    }

    @Test
    void theCallsOfASourceKeepTheirOrderWhateverTheirPriorities() {
        Interleavings.check(threads -> {
            TurnQueue queue = new TurnQueue(Runnable::run);
            CallOrder order = new CallOrder(Runnable::run);
            List<Long> ran = new ArrayList<>();
            int[] priorities = {0, -1, 0, 1};
            for (int source = 0; source < 2; source++) {
                CallSource of = new Always();
                long first = 10L * source;
                threads.start(() -> {
                    for (int i = 0; i < priorities.length; i++) {
                        long arrival = first + i;
                        Turn turn = new Call(arrival, of, order, () -> ran.add(arrival));
                        if (priorities[i] == 0) {
                            queue.add(turn);
                        } else {
                            queue.add(turn, priorities[i]);
                        }
                    }
                });
            }
            threads.start(() -> {
                while (ran.size() < 2 * priorities.length) {
                    queue.take().run();
                    queue.ended();
                }
            });
            threads.await();
            assertThat(ran.stream().filter(each -> each < 10)).containsExactly(0L, 1L, 2L, 3L);
            assertThat(ran.stream().filter(each -> each >= 10)).containsExactly(10L, 11L, 12L, 13L);
        });
    }
}

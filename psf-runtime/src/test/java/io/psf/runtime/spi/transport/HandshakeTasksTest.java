package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HandshakeTasksTest {
    /** More than what is free. */
    private static final Duration LONG = Duration.ofMillis(400);

    private static final Duration UNLIMITED = Duration.ofHours(1);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final AtomicLong clock = new AtomicLong();
    private final AtomicLong processor = new AtomicLong();
    private final HandshakeTasks tasks = tasks(Duration.ofMillis(20));
    private final BlockingQueue<String> ran = new LinkedBlockingQueue<>();

    /** Returns tasks whose times are the test's. */
    private HandshakeTasks tasks(Duration mostOver) {
        return new HandshakeTasks(mostOver.toNanos(), clock::get, processor::get);
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private static InetAddress address(int... bytes) {
        byte[] all = new byte[bytes.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(all);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static InetAddress ipv6(int network, int host) {
        return address(0x20, 1, 0, 0, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host);
    }

    /** Occupies the thread until the latch is open. */
    private CountDownLatch occupy() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch open = new CountDownLatch(1);
        tasks.own().execute(() -> {
            begun.countDown();
            awaitOpen(open);
        });
        begun.await();
        return open;
    }

    private static void awaitOpen(CountDownLatch open) {
        try {
            open.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> ran(int n) throws InterruptedException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(ran.take());
        }
        return all;
    }

    private void stranger(InetAddress at, String name) {
        tasks.stranger(at).execute(() -> ran.add(name));
    }

    @Test
    void addressesTakeTurnsAndTheNewestOfEachIsFirst() throws Exception {
        CountDownLatch open = occupy();
        InetAddress flood = address(10, 0, 0, 1);
        for (int i = 0; i < 4; i++) {
            stranger(flood, "flood" + i);
        }
        stranger(address(10, 0, 0, 2), "a");
        stranger(address(10, 0, 0, 3), "b");
        open.countDown();
        assertThat(ran(6)).containsExactly("flood3", "a", "b", "flood2", "flood1", "flood0");
    }

    @Test
    void theAddressesOfAnIpv6NetworkHaveOneTurn() throws Exception {
        CountDownLatch open = occupy();
        stranger(ipv6(1, 1), "one1");
        stranger(ipv6(1, 2), "one2");
        stranger(ipv6(1, 3), "one3");
        stranger(ipv6(2, 1), "two");
        open.countDown();
        assertThat(ran(4)).containsExactly("one3", "two", "one2", "one1");
    }

    @Test
    void whatHasBegunComesFirst() throws Exception {
        HandshakeTasks.Stranger begun = tasks.stranger(address(10, 0, 0, 1));
        begun.execute(() -> ran.add("first"));
        assertThat(ran(1)).containsExactly("first");
        CountDownLatch open = occupy();
        stranger(address(10, 0, 0, 2), "beginning");
        begun.execute(() -> ran.add("second"));
        tasks.own().execute(() -> ran.add("own"));
        open.countDown();
        assertThat(ran(3)).containsExactly("second", "own", "beginning");
    }

    private void work(Duration time) {
        processor.addAndGet(time.toNanos());
    }

    /** Runs a handshake that takes processor time and does not complete. */
    private HandshakeTasks.Stranger costly(HandshakeTasks of, Duration time) throws InterruptedException {
        HandshakeTasks.Stranger costly = of.stranger(address(10, 0, 0, 1));
        costly.execute(() -> {
            work(time);
            ran.add("costly");
        });
        assertThat(ran(1)).containsExactly("costly");
        after(of, Duration.ZERO, 1); // its time is counted
        return costly;
    }

    /** Has the thread look at its tasks after that time of the clock, and returns what it has run. */
    private List<String> after(HandshakeTasks of, Duration time, int n) throws InterruptedException {
        clock.addAndGet(time.toNanos());
        of.own().execute(() -> ran.add("own"));
        List<String> all = ran(n);
        of.own().execute(() -> ran.add("end"));
        assertThat(ran(1)).as("after " + all).containsExactly("end");
        return all;
    }

    @Test
    void handshakesWithoutAnEndGetATenthOfAProcessor() throws Exception {
        costly(tasks, LONG);
        for (int i = 0; i < 5; i++) {
            tasks.stranger(address(10, 0, 0, 2)).execute(() -> {
                work(Duration.ofMillis(20));
                ran.add("later");
            });
        }
        for (int i = 0; i < 5; i++) { // each is preceded by 20 ms more than what is free, which take ten times as long
            assertThat(after(tasks, Duration.ofMillis(190), 1)).containsExactly("own");
            assertThat(after(tasks, Duration.ofMillis(10), 2)).containsExactlyInAnyOrder("own", "later");
        }
    }

    @Test
    void aHandshakeThatCompletesCostsNothing() throws Exception {
        try (HandshakeTasks unlimited = tasks(UNLIMITED)) {
            for (int i = 0; i < 4; i++) { // while the clock stands still
                HandshakeTasks.Stranger completes = unlimited.stranger(address(10, 0, 0, 1));
                completes.execute(() -> {
                    work(LONG);
                    ran.add("begun");
                });
                assertThat(ran(1)).containsExactly("begun");
                completes.execute(() -> {
                    work(LONG);
                    completes.completed();
                    ran.add("completed");
                });
                assertThat(ran(1)).containsExactly("completed");
            }
        }
    }

    @Test
    void aSlowTaskHoldsOthersUpForAFractionOfASecond() throws Exception {
        costly(tasks, Duration.ofMinutes(1));
        stranger(address(10, 0, 0, 2), "later");
        assertThat(after(tasks, Duration.ofMillis(200), 2)).containsExactlyInAnyOrder("own", "later");
    }

    @Test
    void whileStrangersWaitTheOwnTasksAndThoseThatHaveBegunRun() throws Exception {
        try (HandshakeTasks unlimited = tasks(UNLIMITED)) {
            HandshakeTasks.Stranger costly = costly(unlimited, Duration.ofSeconds(1));
            unlimited.stranger(address(10, 0, 0, 2)).execute(() -> ran.add("later"));
            assertThat(after(unlimited, Duration.ofMillis(7490), 1)).containsExactly("own");
            costly.execute(() -> ran.add("second"));
            assertThat(ran(1)).containsExactly("second");
            assertThat(after(unlimited, Duration.ofMillis(10), 2)).containsExactlyInAnyOrder("own", "later");
        }
    }

    @Test
    void theTimesAreThoseOfTheProcessorAndOfTheClock() throws Exception {
        try (HandshakeTasks real = new HandshakeTasks(UNLIMITED.toNanos())) {
            AtomicLong end = new AtomicLong();
            real.stranger(address(10, 0, 0, 1)).execute(() -> {
                long enough = THREADS.getCurrentThreadCpuTime()
                        + Duration.ofMillis(300).toNanos();
                while (THREADS.getCurrentThreadCpuTime() < enough) {
                    Thread.onSpinWait();
                }
                end.set(System.nanoTime());
            });
            AtomicLong waited = new AtomicLong();
            real.stranger(address(10, 0, 0, 2)).execute(() -> {
                waited.set(System.nanoTime() - end.get());
                ran.add("later");
            });
            assertThat(ran(1)).containsExactly("later");
            assertThat(Duration.ofNanos(waited.get())).isGreaterThanOrEqualTo(Duration.ofMillis(500));
        }
    }

    @Test
    void theOldestTasksAreDroppedWhereTooManyWait() throws Exception {
        CountDownLatch open = occupy();
        InetAddress flood = address(10, 0, 0, 1);
        AtomicInteger count = new AtomicInteger();
        stranger(address(10, 0, 0, 2), "other");
        for (int i = 0; i < HandshakeTasks.MOST; i++) {
            boolean oldest = i == 0;
            tasks.stranger(flood).execute(() -> {
                count.incrementAndGet();
                if (oldest) {
                    ran.add("oldest");
                }
            });
        }
        open.countDown();
        await().forever().until(() -> count.get() == HandshakeTasks.MOST - 1);
        assertThat(ran(1)).containsExactly("other");
        assertThat(ran).isEmpty();
    }

    @Test
    void afterCloseTasksAreRejected() {
        tasks.close();
        Executor own = tasks.own();
        assertThatThrownBy(() -> own.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> stranger(address(10, 0, 0, 1), "late")).isInstanceOf(RejectedExecutionException.class);
    }
}

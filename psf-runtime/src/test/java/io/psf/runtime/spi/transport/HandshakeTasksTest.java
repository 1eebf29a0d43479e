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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HandshakeTasksTest {
    /** A task that takes longer than what is free. */
    private static final Duration LONG = Duration.ofMillis(400);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final HandshakeTasks tasks = new HandshakeTasks();
    private final BlockingQueue<String> ran = new LinkedBlockingQueue<>();

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
            all.add(ran.poll(20, TimeUnit.SECONDS));
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

    /** Takes processor time of this thread. */
    private static void work(Duration time) {
        long end = THREADS.getCurrentThreadCpuTime() + time.toNanos();
        while (THREADS.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    /** Runs a handshake that costs more than what is free. */
    private HandshakeTasks.Stranger costly() throws InterruptedException {
        HandshakeTasks.Stranger costly = tasks.stranger(address(10, 0, 0, 1));
        costly.execute(() -> {
            work(LONG);
            ran.add("costly");
        });
        assertThat(ran(1)).containsExactly("costly");
        return costly;
    }

    @Test
    void handshakesWithoutAnEndGetATenthOfAProcessor() throws Exception {
        long start = System.nanoTime();
        costly();
        for (int i = 0; i < 5; i++) {
            tasks.stranger(address(10, 0, 0, 2)).execute(() -> {
                work(Duration.ofMillis(20));
                ran.add("later");
            });
        }
        assertThat(ran(5)).containsOnly("later");
        // 400 ms, and for each of the others 20 ms more than what is free, which takes ten times as long.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1350));
    }

    @Test
    void aHandshakeThatCompletesCostsNothing() throws Exception {
        try (HandshakeTasks unlimited = new HandshakeTasks(TimeUnit.HOURS.toNanos(1))) {
            AtomicLong waited = new AtomicLong();
            for (int i = 0; i < 4; i++) {
                HandshakeTasks.Stranger completes = unlimited.stranger(address(10, 0, 0, 1));
                long given = System.nanoTime();
                completes.execute(() -> {
                    waited.addAndGet(System.nanoTime() - given);
                    work(LONG);
                    completes.completed();
                    ran.add("completed");
                });
                assertThat(ran(1)).containsExactly("completed");
            }
            // With their time counted, each but the first would wait for one and a half seconds and more.
            assertThat(Duration.ofNanos(waited.get())).isLessThan(Duration.ofSeconds(3));
        }
    }

    @Test
    void aSlowTaskHoldsOthersUpForAFractionOfASecond() throws Exception {
        costly();
        long begun = System.nanoTime();
        stranger(address(10, 0, 0, 2), "later");
        assertThat(ran(1)).containsExactly("later");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMillis(1400)); // without a limit
    }

    @Test
    void whileStrangersWaitTheOwnTasksAndThoseThatHaveBegunRun() throws Exception {
        try (HandshakeTasks unlimited = new HandshakeTasks(TimeUnit.HOURS.toNanos(1))) {
            HandshakeTasks.Stranger costly = unlimited.stranger(address(10, 0, 0, 1));
            costly.execute(() -> {
                work(Duration.ofSeconds(1));
                ran.add("costly");
            });
            assertThat(ran(1)).containsExactly("costly");
            unlimited.stranger(address(10, 0, 0, 2)).execute(() -> ran.add("later")); // waits for some seconds
            unlimited.own().execute(() -> ran.add("own"));
            assertThat(ran(1)).containsExactly("own");
            costly.execute(() -> ran.add("second"));
            assertThat(ran(2)).containsExactly("second", "later");
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
        await().until(() -> count.get() == HandshakeTasks.MOST - 1);
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

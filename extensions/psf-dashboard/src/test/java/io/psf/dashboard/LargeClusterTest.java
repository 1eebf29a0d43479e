package io.psf.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.psf.api.Member;
import io.psf.api.Metric;
import io.psf.api.Metrics;
import io.psf.api.Role;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.MemoryUse;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Reports;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSummary;
import io.psf.runtime.ClusterSummary;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.Keys;

/** The page of a cluster of 64 nodes with 100 tensors in 1,000 slices, whose state is made up. */
@Timeout(120)
class LargeClusterTest {
    private static final int SERVERS = 32;
    private static final int WORKERS = 32;
    private static final int TENSORS = 100;
    private static final int SLICES_OF_TENSOR = 10;
    private static final int FUNCTIONS = 40;
    private static final int UPDATES = 15;

    private static FunctionStatistics function(int number, long count) {
        Latency times = Latency.of(1000 + number, 90_000, 1_000_000);
        return new FunctionStatistics(
                "acme.function" + number,
                new TreeMap<>(Map.of("OK", count)),
                count << 12,
                count << 7,
                times,
                times,
                times);
    }

    /** Returns the numbers of a server's slices after so many seconds. */
    private static List<Metric> slices(int server, int second) {
        Metrics all = new Metrics();
        for (int tensor = 0; tensor < TENSORS; tensor++) {
            for (int slice = 0; slice < SLICES_OF_TENSOR; slice++) {
                if ((tensor + slice) % SERVERS == server) {
                    Metrics of = all.with("tensor", "tensor" + tensor).with("slice", slice);
                    of.gauge("psf.slice.bytes", "bytes", "memory", 1000.0 * (tensor + 1) + slice);
                    of.gauge("psf.slice.rows", "rows", "rows", 100);
                    of.counter("psf.slice.requests", "requests", "requests", 10.0 * second * slice);
                    of.counter("psf.slice.busy", "seconds", "time", 0.01 * second * slice);
                    of.counter("psf.slice.traffic", "bytes", "bytes", 1000.0 * second);
                }
            }
        }
        return all.all();
    }

    /** Returns the fields after so many seconds. */
    private static Map<String, String> fields(int second) {
        List<Member> members = new ArrayList<>();
        IntStream.range(0, SERVERS).forEach(i -> members.add(new Member(Role.SERVER, i, "10.0.0." + i, 4000)));
        IntStream.range(0, WORKERS).forEach(i -> members.add(new Member(Role.WORKER, i, "", 0)));
        ClusterSummary cluster = new ClusterSummary(
                new ClusterSummary.Plan("clicks", false, SERVERS, WORKERS),
                Duration.ofSeconds(second),
                members,
                List.of(),
                List.of(),
                IntStream.range(0, 256)
                        .mapToObj(i -> new ClusterSummary.Event(Instant.ofEpochSecond(i), "moved", "tensor" + i))
                        .toList());
        List<TensorSummary> tensors = IntStream.range(0, TENSORS)
                .mapToObj(i -> new TensorSummary(
                        new TensorInfo(TensorId.of("tensor" + i), i % 10 == 0 ? TensorInfo.GROWING : 1000, 16),
                        "Adam",
                        "",
                        IntStream.range(0, SLICES_OF_TENSOR)
                                .mapToObj(slice -> new TensorSummary.Part(
                                        (i + slice) % SERVERS,
                                        "host",
                                        1,
                                        100 + second,
                                        new ShardBytes(1000L * (i + 1), 2000L * (slice + 1), 0, 0)))
                                .toList()))
                .toList();
        SortedMap<Integer, List<FunctionStatistics>> servers = new TreeMap<>();
        SortedMap<Integer, MemoryUse> memory = new TreeMap<>();
        SortedMap<Integer, List<Metric>> metrics = new TreeMap<>();
        for (int i = 0; i < SERVERS; i++) {
            long count = second * (100L + i);
            servers.put(
                    i,
                    IntStream.range(0, FUNCTIONS)
                            .mapToObj(each -> function(each, count))
                            .toList());
            metrics.put(i, slices(i, second));
            memory.put(i, new MemoryUse((1L << 30) + i, 4L << 30));
        }
        Statistics statistics =
                new Statistics(Duration.ofSeconds(second + 1), servers, memory, metrics, new TreeMap<>());
        List<Reports.Series> reports = IntStream.range(0, WORKERS)
                .mapToObj(i -> new Reports.Series(
                        "loss",
                        i,
                        LongStream.range(0, 256).toArray(),
                        new long[256],
                        IntStream.range(0, 256)
                                .mapToDouble(step -> 1.0 / (step + second))
                                .toArray()))
                .toList();
        Map<String, String> fields = new ClusterStatus(cluster, List.of(), tensors, statistics, reports).fields();
        fields.put("recent", ClusterStatus.functions(statistics));
        return fields;
    }

    /** Each update is drawn, and a draw takes a fraction of the second until the next one. */
    @Test
    void thePageStaysSmooth() throws Exception {
        Feed feed = new Feed();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", new Page(new Admission(null, "127.0.0.1"), feed));
        server.start();
        try (Browser browser =
                Browser.open("http://127.0.0.1:" + server.getAddress().getPort() + "/")) {
            for (int second = 1; second <= UPDATES; second++) {
                feed.publish(fields(second));
                browser.awaitText("#summary", "32 of 32 servers, 32 of 32 workers, for " + second + " s");
            }
            browser.awaitText("#memory tr[data-key='tensor99']", "1,150");
            browser.press("#load canvas", Keys.ARROW_LEFT); // the last of the slices
            browser.awaitText("#load .note", "rows, ");
            assertThat(browser.script("return document.querySelectorAll('#nodes tbody tr').length"))
                    .isEqualTo(64L);
            List<?> frames = (List<?>) browser.script("return window.psfFrames");
            double[] millis = frames.stream()
                    .mapToDouble(each -> ((Number) each).doubleValue())
                    .sorted()
                    .toArray();
            System.out.printf(
                    "drawn %d times: median %.1f ms, longest %.1f ms; an update has %,d bytes%n",
                    millis.length,
                    millis[millis.length / 2],
                    millis[millis.length - 1],
                    ClusterStatus.object(fields(1)).length());
            assertThat(millis.length).isGreaterThanOrEqualTo(UPDATES);
            assertThat(millis[millis.length / 2])
                    .as("milliseconds of a draw, of a second that there is; the median of %s", frames)
                    .isLessThan(250);
        } finally {
            feed.close();
            server.stop(0);
            threads.shutdownNow();
        }
    }
}

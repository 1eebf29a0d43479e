package io.psf.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Reports;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.GivenTime;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** What the page shows in a real browser. */
@Timeout(120)
class InBrowserTest {
    private static final String LOCAL = "127.0.0.1";

    private static Dashboard dashboard(Scheduler scheduler) {
        return Dashboard.start(InetSocketAddress.createUnresolved(LOCAL, 0), WorkerConfig.of(LOCAL, scheduler.port()));
    }

    @Test
    void thePageShowsWhatTheServersCount(@TempDir Path folder) throws Exception {
        try (PsCluster cluster =
                        PsCluster.builder().servers(2).tcp().checkpoints(folder).start();
                Guest guest =
                        Guest.visit(WorkerConfig.of(LOCAL, cluster.scheduler().port()));
                Dashboard dashboard = dashboard(cluster.scheduler());
                Browser browser = Browser.open(dashboard.address())) {
            Worker worker = cluster.worker();
            var unused = Statistics.of(guest); // from now on they count
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
            TensorId users = Tensors.init(worker, TensorSpec.growing("users", 4));
            for (int step = 0; step < 300; step++) {
                Tensors.push(worker, w, new float[1000]).await();
                Reports.scalar(worker, "loss", step, 1.0 / (step + 1)).await();
            }
            Tensors.pushRows(worker, users, LongStream.range(0, 500).toArray(), new float[2000])
                    .await();
            ModelCheckpoints.at(worker, "model").tensors(w).save(7, Map.of());

            browser.awaitText("#summary", "job, 2 of 2 servers, 1 of 1 workers");
            FunctionStatistics pushes = Statistics.of(guest).functions().stream()
                    .filter(each -> each.function().equals("psf.dense.push"))
                    .findFirst()
                    .orElseThrow();
            assertThat(pushes.count()).isEqualTo(600); // each push is for both servers
            browser.awaitText("#rates tr[data-key='psf.dense.push']", "600");
            browser.awaitText("#reports figcaption", "worker 0 0.003333");
            browser.awaitText("#memory tr[data-key='users']", "500+");
            assertThat(browser.row("memory", "w")).containsExactly("w", "3.9 KiB", "1,000", "1", "2", "Add[scale=1.0]");
            browser.awaitText("#memory tr[data-key='0']", "server 0");
            browser.awaitText("#checkpoints tr[data-key='model']", "7");
            browser.awaitText("#time", "saved");
            browser.awaitText("#time", "joined");
            browser.awaitText("#growing figcaption", "users 500");
            while (browser.row("hot", "users 7").isEmpty()) { // the servers count while the page asks
                Tensors.pushRows(worker, users, new long[] {7}, new float[4]).await();
            }
            assertThat(browser.text("#connection")).isEqualTo("live");
            assertThat(browser.text("#alarms")).isEmpty();
            browser.picture("dashboard.png");
            isForEverybody(browser);
        }
    }

    /** A function that was fast for long has a fast median since the servers began to count. */
    @Test
    void theTimesOfAFunctionAreThoseOfTheLastSecond() throws InterruptedException {
        AtomicLong millis = new AtomicLong();
        AtomicBoolean stopped = new AtomicBoolean();
        try (PsCluster cluster = PsCluster.builder()
                        .tcp()
                        .interceptors((call, next) -> {
                            if (call.tensor() != null) {
                                LockSupport.parkNanos(millis.get() * 1_000_000);
                            }
                            return next.get();
                        })
                        .start();
                Dashboard dashboard = dashboard(cluster.scheduler());
                Browser browser = Browser.open(dashboard.address())) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 10));
            Thread pushes = new Thread(() -> {
                while (!stopped.get()) {
                    Tensors.push(cluster.worker(), w, new float[10]).await();
                }
            });
            pushes.start();
            try {
                awaitTimes(browser, "us");
                millis.set(20);
                awaitTimes(browser, "ms");
                browser.awaitText("#rates figure + figure figcaption", " ms");
                millis.set(0);
                awaitTimes(browser, "us");
            } finally {
                stopped.set(true);
                pushes.join();
            }
            awaitTimes(browser, "-");
            browser.awaitText("#rates figure + figure figcaption", "psf.dense.push -");
            List<String> row = browser.row("rates", "psf.dense.push");
            assertThat(row.subList(4, 8)).containsOnly("-");
            assertThat(row.get(1))
                    .as("requests since the servers began to count")
                    .isNotEqualTo("0");
        }
    }

    /** Waits until the median of the time that pushes run ends so. */
    private static void awaitTimes(Browser browser, String end) {
        browser.await("return document.querySelector(\"#rates tr[data-key='psf.dense.push'] td:nth-child(7)\")"
                + "?.textContent.endsWith('" + end + "')");
    }

    private static void isForEverybody(Browser browser) {
        assertThat(browser.script("return [...document.querySelectorAll('canvas')].filter(each =>"
                        + " each.offsetParent && !each.getAttribute('aria-label')).length"))
                .as("pictures without a name")
                .isEqualTo(0L);
        assertThat(browser.script("return [...document.querySelectorAll('section')].filter(each =>"
                        + " !document.getElementById(each.getAttribute('aria-labelledby'))).length"))
                .as("panels without a name")
                .isEqualTo(0L);
        browser.press("#load canvas", Keys.ARROW_RIGHT);
        browser.awaitText("#load .note", "rows, ");
        browser.prefer("dark");
        assertThat(colour(browser)).isLessThan(64);
        browser.prefer("light");
        assertThat(colour(browser)).isGreaterThan(192);
        browser.resize(400, 900);
        assertThat((long) browser.script("return innerWidth")).isEqualTo(400);
        assertThat((long) browser.script(
                        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .as("the part of the page beyond its right edge")
                .isZero();
        browser.script("console.error('the last of all')");
        assertThat(browser.complaints())
                .as("what the browser complains about")
                .singleElement()
                .asString()
                .contains("the last of all");
    }

    @Test
    void thePageSaysWhichWorkerTheOthersWaitFor() {
        try (PsCluster cluster = PsCluster.builder().workers(3).tcp().start();
                Dashboard dashboard = dashboard(cluster.scheduler());
                Browser browser = Browser.open(dashboard.address())) {
            TensorId w =
                    Tensors.init(cluster.worker(0), TensorSpec.dense("w", 10).updates(Updates.SUM));
            List<Pending<?>> waiting = new ArrayList<>();
            for (int rank : new int[] {0, 2}) {
                waiting.add(Tensors.push(cluster.worker(rank), w, new float[10]));
            }
            browser.awaitText("#waits tbody", "psf.dense.push");
            assertThat(browser.script("return [...document.querySelectorAll('#waits tbody td')].map(each =>"
                            + " each.textContent).filter((each, i) => [0, 1, 2, 4, 5].includes(i))"))
                    .isEqualTo(List.of("psf.dense.push", "w", "2", "0, 2", "1"));
            Tensors.push(cluster.worker(1), w, new float[10]).await();
            waiting.forEach(Pending::await);
            browser.await("return document.getElementById('waits').hidden");
        }
    }

    /** Returns the red of the page's background, 0 to 255. */
    private static int colour(Browser browser) {
        String rgb = (String) browser.script("return getComputedStyle(document.body).backgroundColor");
        return Integer.parseInt(rgb.replaceAll("rgb\\((\\d+),.*", "$1"));
    }

    @Test
    void aKilledServerIsShownWithinASecondOfTheSchedulerKnowing() throws Exception {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(2, 1))) {
            ServerConfig config = ServerConfig.of(LOCAL, scheduler.port());
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() -> Server.start(config));
            Process other = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ServerMain.class.getName(),
                            String.valueOf(scheduler.port()))
                    .inheritIO()
                    .start();
            try (Worker worker = Worker.connect(WorkerConfig.of(LOCAL, scheduler.port()));
                    Dashboard dashboard = dashboard(scheduler);
                    Browser browser = Browser.open(dashboard.address())) {
                browser.awaitText("#summary", "2 of 2 servers");
                browser.script("const alarms = document.getElementById('alarms');"
                        + "new MutationObserver(() => {"
                        + "  if (alarms.textContent.includes('is lost: ')) window.alarmed ??= Date.now();"
                        + "}).observe(alarms, {childList: true});");
                long given = GivenTime.nanos();
                long begin = System.nanoTime();
                other.destroyForcibly();
                browser.awaitText("#alarms", "is lost: ");
                double slow = Math.max(
                        1, (double) (System.nanoTime() - begin) / Math.max(1_000_000_000L, GivenTime.nanos() - given));
                browser.awaitText("#summary", "1 of 2 servers");
                browser.awaitText("#time tr.bad", "lost");
                browser.picture("lost.png");
                long shown = (long) browser.script("return window.alarmed");
                System.out.println("shown after " + (shown - lostAt(scheduler)) + " ms");
                assertThat(shown - lostAt(scheduler))
                        .as("milliseconds until the page said it, times %s", slow)
                        .isLessThan((long) (1000 * slow));
                assertThat(worker.lost()).hasSize(1);
            } finally {
                other.destroyForcibly();
                server.thenAccept(Server::close);
            }
        }
    }

    private static long lostAt(Scheduler scheduler) {
        try (Guest guest = Guest.visit(WorkerConfig.of(LOCAL, scheduler.port()))) {
            return guest.cluster().events().stream()
                    .filter(each -> each.kind().equals("lost"))
                    .findFirst()
                    .orElseThrow()
                    .at()
                    .toEpochMilli();
        }
    }
}

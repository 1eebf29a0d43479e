package io.psf.examples.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.psf.api.Restore;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.WorkerConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on Flink's mini cluster, which reach a cluster of psf over sockets. */
@Timeout(180)
class FlinkTest {
    private static final int WIDTH = Embeddings.WIDTH;

    private Set<Thread> before = Set.of();

    @BeforeEach
    void remembersThreads() {
        before = threads();
    }

    /** The thread of a store's collector ends when it has been idle for 5 seconds. */
    @AfterEach
    void noThreadOfPsfStays() {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(started()).isEmpty());
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    /** Returns the names of the threads of psf that have started since the test has. */
    private List<String> started() {
        Set<Thread> now = threads();
        now.removeAll(before);
        return now.stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("psf"))
                .toList();
    }

    private static Embeddings at(int port) {
        return new Embeddings(Map.of("PSF_SCHEDULER", "127.0.0.1:" + port));
    }

    private static StreamExecutionEnvironment flink() {
        return StreamExecutionEnvironment.createLocalEnvironment(2);
    }

    /** Returns ratings of random pairs out of some users and items. */
    private static List<Event> ratings(int n, int users) {
        Random random = new Random(1);
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            events.add(new Event(random.nextInt(users), random.nextInt(users), random.nextInt(6)));
        }
        return events;
    }

    /** Returns the rows of user and item. */
    private static float[] rows(Client client, Event event) {
        float[] rows = new float[2 * WIDTH];
        Tensors.pullRows(client, Embeddings.TABLE, event.keys(), rows).await();
        return rows;
    }

    private static float score(float[] rows) {
        float sum = 0;
        for (int i = 0; i < WIDTH; i++) {
            sum += rows[i] * rows[i + WIDTH];
        }
        return sum;
    }

    /** A service without workers, whose nodes are apart. The job is the only user of its table. */
    @Test
    void theScoresAreThoseOfAPlainComputation() throws Exception {
        SchedulerConfig service = SchedulerConfig.of(2, 1).asService().withSecret("only-for-this-test");
        try (Scheduler scheduler = Scheduler.start(service)) {
            ServerConfig node = ServerConfig.of("127.0.0.1", scheduler.port()).withSecret("only-for-this-test");
            List<Server> servers = new ArrayList<>();
            List<Thread> starting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread starts = new Thread(() -> {
                    Server server = Server.start(node);
                    synchronized (servers) {
                        servers.add(server);
                    }
                });
                starts.start();
                starting.add(starts);
            }
            Embeddings embeddings = new Embeddings(
                    Map.of("PSF_SCHEDULER", "127.0.0.1:" + scheduler.port(), "PSF_SECRET", "only-for-this-test"));
            List<Event> events = ratings(2000, 100);
            List<Scored> scored =
                    FlinkMain.score(flink().fromData(events), embeddings).executeAndCollect(3000);
            assertThat(started()).as("the clients have left").noneMatch(name -> name.startsWith("psf-client"));
            assertThat(scored.stream().map(Scored::event)).containsExactlyInAnyOrderElementsOf(events);
            try (Client client = embeddings.connect()) {
                for (Scored each : scored) {
                    float[] rows = rows(client, each.event());
                    assertThat(each.rows()).isEqualTo(rows);
                    assertThat(each.score()).isEqualTo(score(rows));
                }
                assertThat(scored.stream().map(Scored::score).distinct().count())
                        .isGreaterThan(1000);
            }
            for (Thread each : starting) {
                each.join();
            }
            servers.forEach(Server::close);
        }
    }

    /** No two events share a row, so that the result does not depend on their order. */
    @Test
    void thePushesAreTheStepsOfAPlainComputation() throws Exception {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            events.add(new Event(i, i, i % 6));
        }
        try (PsCluster cluster = PsCluster.builder().servers(2).tcp().start();
                Client client = cluster.client()) {
            Embeddings embeddings = at(cluster.scheduler().port());
            Tensors.init(client, Embeddings.SPEC);
            List<float[]> expected = new ArrayList<>();
            List<Float> expectedErrors = new ArrayList<>();
            for (Event event : events) {
                float[] rows = rows(client, event);
                float error = score(rows) - event.rating();
                float[] stepped = new float[2 * WIDTH];
                for (int i = 0; i < WIDTH; i++) {
                    stepped[i] = rows[i] - Embeddings.RATE * error * rows[WIDTH + i];
                    stepped[WIDTH + i] = rows[WIDTH + i] - Embeddings.RATE * error * rows[i];
                }
                expected.add(stepped);
                expectedErrors.add(error);
            }
            List<Float> errors = FlinkMain.train(FlinkMain.score(flink().fromData(events), embeddings), embeddings)
                    .executeAndCollect(2000);
            assertThat(errors).containsExactlyInAnyOrderElementsOf(expectedErrors);
            for (int i = 0; i < events.size(); i++) {
                assertThat(rows(client, events.get(i))).containsExactly(expected.get(i), within(1e-5f));
            }
        }
    }

    @Test
    void theMainRunsByItselfAndItsErrorFalls() throws Exception {
        PrintStream usual = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            FlinkMain.main(new String[0]);
        } finally {
            System.setOut(usual);
        }
        List<Double> errors = Pattern.compile("mean squared error: (\\S+)")
                .matcher(printed.toString(StandardCharsets.UTF_8))
                .results()
                .map(found -> Double.valueOf(found.group(1)))
                .toList();
        assertThat(errors).as(printed.toString(StandardCharsets.UTF_8)).hasSize(20);
        double first = Math.max(errors.get(0), errors.get(1));
        assertThat(errors.get(19)).isLessThan(first / 4);
    }

    private static DataStream<Event> endless() {
        return flink().fromSequence(0, Long.MAX_VALUE - 1).map(i -> new Event(i % 1000, i % 1000, 1));
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** Runs an endless job until a server is closed, and returns the stack trace of its failure. */
    @SuppressWarnings("try") // the iterator's close may be interrupted
    private static String failure(boolean training) throws Exception {
        try (PsCluster cluster = PsCluster.builder().servers(2).tcp().start()) {
            Embeddings embeddings = at(cluster.scheduler().port());
            DataStream<Scored> scored = FlinkMain.score(endless(), embeddings);
            DataStream<?> job = training ? FlinkMain.train(scored, embeddings) : scored;
            try (CloseableIterator<?> results = job.executeAndCollect()) {
                for (int i = 0; i < 1000; i++) {
                    results.next();
                }
                cluster.servers().get(1).close();
                while (results.hasNext()) {
                    results.next();
                }
                return "no failure";
            } catch (RuntimeException e) {
                return stackTrace(e);
            }
        }
    }

    @Test
    void aLostServerFailsTheJobWithTheMessageOfPsf() throws Exception {
        assertThat(failure(false)).contains("UNAVAILABLE: ", "server 1 (127.0.0.1:");
        assertThat(failure(true)).contains("UNAVAILABLE: ", "server 1 (127.0.0.1:");
    }

    @Test
    @SuppressWarnings("try")
    void aServerThatComesBackLetsTheJobGoOn(@TempDir Path checkpoints) throws Exception {
        try (PsCluster cluster = PsCluster.builder()
                        .servers(2)
                        .tcp()
                        .serverReturn(Duration.ofSeconds(60))
                        .checkpoints(checkpoints)
                        .start();
                Client client = cluster.client()) {
            Tensors.init(client, Embeddings.SPEC);
            float[] ones = new float[2 * WIDTH];
            Arrays.fill(ones, 1);
            Event event = new Event(7, 7, 1);
            Tensors.pushRows(client, Embeddings.TABLE, event.keys(), ones).await();
            Tensors.init(cluster.worker(), Embeddings.SPEC);
            ModelCheckpoints.at(cluster.worker(), "embeddings")
                    .restore(Restore.LOST)
                    .save(1, Map.of());
            float expected = score(rows(client, event));
            DataStream<Event> events =
                    flink().fromSequence(0, Long.MAX_VALUE - 1).map(i -> new Event(7, 7, 1));
            try (CloseableIterator<Scored> results =
                    FlinkMain.score(events, at(cluster.scheduler().port())).executeAndCollect()) {
                for (int i = 0; i < 1000; i++) {
                    assertThat(results.next().score()).isEqualTo(expected);
                }
                for (int rank = 0; rank < 2; rank++) {
                    cluster.servers().get(rank).close();
                    cluster.restart(rank);
                    for (int i = 0; i < 20_000; i++) { // more than are in flight and buffered
                        assertThat(results.next().score()).isEqualTo(expected);
                    }
                }
            }
        }
    }

    private static void run(Embeddings embeddings) throws Exception {
        FlinkMain.score(flink().fromData(ratings(10, 10)), embeddings).executeAndCollect(10);
    }

    @Test
    void aClusterThatIsNotThereOrRefusesFailsTheJobInASentence() throws Exception {
        int unused;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = socket.getLocalPort();
        }
        String nowhere = "127.0.0.1:" + unused;
        assertThatThrownBy(() -> run(new Embeddings(Map.of("PSF_SCHEDULER", nowhere, "PSF_JOIN_TIMEOUT", "2s"))))
                .satisfies(failure -> assertThat(stackTrace(failure)).contains("PsException: ", nowhere));
        assertThatThrownBy(() -> run(new Embeddings(Map.of())))
                .satisfies(failure ->
                        assertThat(stackTrace(failure)).contains("CONFIGURATION: PSF_SCHEDULER: not set (expected: "));
        try (PsCluster cluster = PsCluster.builder().tcp().start()) {
            Embeddings secret = new Embeddings(Map.of(
                    "PSF_SCHEDULER",
                    "127.0.0.1:" + cluster.scheduler().port(),
                    "PSF_SECRET",
                    "another-secret-of-tests"));
            assertThatThrownBy(() -> run(secret))
                    .satisfies(failure -> assertThat(stackTrace(failure)).contains("BAD_REQUEST: "));
        }
    }

    @Test
    void aTableOfAnotherSpecFailsTheJobInASentence() throws Exception {
        try (PsCluster cluster = PsCluster.builder().tcp().start();
                Client client = Client.connect(
                        WorkerConfig.of("127.0.0.1", cluster.scheduler().port()))) {
            Tensors.init(client, Embeddings.SPEC.optimizer(Optimizers.adam(0.1)));
            assertThatThrownBy(() -> run(at(cluster.scheduler().port())))
                    .satisfies(failure -> assertThat(stackTrace(failure)).contains("ALREADY_EXISTS: "));
        }
    }

    @Test
    void anEventWithANegativeNumberIsRefused() {
        assertThatThrownBy(() -> new Event(-1, 3, 0)).hasMessage("event: user -1, item 3 (expected: both >= 0)");
    }
}

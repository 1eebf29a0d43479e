package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.Metric;
import io.psf.api.Metrics;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Late;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.OpenMetrics;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Reports;
import io.psf.builtin.Ssp;
import io.psf.builtin.Statistics;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of {@code docs/metrics.md} has what a cluster measures in which everything happens, and nothing else. */
final class MetricsDocumentTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "metrics.md");

    /** By name, the rows of the table that the numbers make. */
    private final Map<String, String> measured = new TreeMap<>();

    private void add(List<Metric> metrics) {
        for (Metric each : metrics) {
            Set<String> labels = new TreeSet<>();
            each.samples().forEach(sample -> labels.addAll(sample.labels().keySet()));
            String row = String.format(
                    Locale.ROOT,
                    "| `%s` | %s | %s | %s | %s |",
                    each.name(),
                    each.kind() == Metric.Kind.COUNTER ? "counter" : "gauge",
                    each.unit(),
                    String.join(", ", labels),
                    each.meaning());
            assertThat(measured.merge(each.name(), row, (before, now) -> before))
                    .as("one meaning of a name")
                    .isEqualTo(row);
        }
    }

    private static Set<String> documented() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `psf."))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the names of families that Prometheus reads. */
    private static List<String> families(String text) {
        return text.lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ", -1)[2])
                .toList();
    }

    /** Returns the names of families that the page says. */
    private static List<String> inPrometheus() throws IOException {
        List<String> names = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            String[] cells = line.split(" *\\| *", -1);
            if (line.startsWith("| `psf_")) {
                names.add(cells[1].replace("`", ""));
            } else if (line.startsWith("| `psf.")) {
                String name = cells[1].replace("`", "").replace('.', '_');
                boolean hasUnit = cells[3].matches("bytes|seconds") && !name.endsWith("_" + cells[3]);
                names.add(hasUnit ? name + "_" + cells[3] : name);
            }
        }
        return names;
    }

    private static void train(Worker worker) {
        Tensors.endEpoch(worker);
        Reports.scalar(worker, "loss", 1, 0.5).await();
        ModelCheckpoints.at(worker, "m").save(3, Map.of());
        Ssp.join(worker, 7, 1).tick(); // an end of an epoch forgets the clocks
    }

    /** Leaves a push that waits. */
    private static Pending<?> push(PsCluster cluster) {
        Worker worker = cluster.worker();
        Tensors.init(
                worker,
                TensorSpec.growing("table", 2).policy(TablePolicy.keepAll().mostRows(8)));
        TensorId finite = Tensors.init(
                worker,
                TensorSpec.dense("finite", 4).optimizer(Optimizers.sgd(1).skipNonFinite()));
        Tensors.push(worker, finite, new float[] {Float.NaN, 0, 0, 0}).await();
        TensorId late = Tensors.init(
                worker, TensorSpec.dense("late", 4).updates(Updates.SUM).quorum(1, Late.DROP));
        Tensors.push(worker, late, new float[4]).await();
        Tensors.push(cluster.worker(1), late, new float[4]).await();
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", 4).updates(Updates.SUM));
        return Tensors.push(worker, w, new float[4]);
    }

    @Test
    void theTableHasWhatAClusterMeasures(@TempDir Path folder) throws IOException {
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .workers(2)
                .tcp()
                .tensorMemory(1 << 30)
                .checkpoints(folder.resolve("models"))
                .start()) {
            OpenMetrics text = new OpenMetrics();
            cluster.servers().get(0).listen(text.listener());
            Gauges scheduler = new Gauges();
            cluster.scheduler().listen(scheduler);
            Gauges worker = new Gauges();
            cluster.worker().listen(worker.ofWorker());
            Statistics.of(cluster.worker());
            Pending<?> waits = push(cluster);
            await().until(() ->
                    Statistics.of(cluster.worker()).waiting().values().stream().anyMatch(each -> !each.isEmpty()));
            Metrics servers = new Metrics();
            servers.addAll(Statistics.of(cluster.worker()).total());
            Tensors.push(cluster.worker(1), TensorId.of("w"), new float[4]).await();
            waits.await();
            Clusters.onEachWorker(cluster, MetricsDocumentTest::train);
            servers.addAll(Statistics.of(cluster.worker()).total());
            add(servers.all());
            add(scheduler.all());
            add(worker.all());
            assertThat(inPrometheus()).containsAll(families(text.text()));
        }
        Gauges scheduler = new Gauges();
        try (Scheduler journaled = Scheduler.start(SchedulerConfig.of(1, 1).withJournal(folder.resolve("journal")))) {
            journaled.listen(scheduler);
            add(scheduler.all());
        }
        assertThat(String.join("\n", documented()))
                .as("rows of %s", PAGE)
                .isEqualTo(measured.values().stream().sorted().collect(Collectors.joining("\n")));
    }
}

package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.builtin.Reports;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.reports.ReportedValues;
import io.psf.testkit.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The reports of workers, in checkpoints. */
@Timeout(60)
class SavedReportsTest {
    private static final int WORKERS = 4;
    private static final ModelOptions OPTIONS = new ModelOptions(2, 0, List.of(), List.of(), false, false);

    @TempDir
    private Path folder;

    private TestCluster cluster(int servers) {
        TestCluster cluster = TestCluster.of(servers, WORKERS, folder);
        Tensors.init(cluster.worker(0), TensorSpec.dense("w", 12));
        return cluster;
    }

    private static void report(ClusterCaller worker, long begin, long end) {
        for (long step = begin; step < end; step++) {
            Reports.scalar(worker, "loss", step, worker.rank() + 1.0 / (1 + step))
                    .await();
        }
    }

    private static void save(TestCluster cluster, long step) {
        SaveModelPsf.stub(cluster.worker(0))
                .call(0, "m", step, OPTIONS, List.of(), 0)
                .await();
    }

    private static void load(TestCluster cluster) {
        LoadModelPsf.stub(cluster.worker(0))
                .call(0, "m", LedLoad.NEWEST, OPTIONS, LoadScope.MODEL, 0)
                .await();
    }

    @Test
    void curvesGoOnAfterALoadOnAnotherNumberOfServers() {
        TestCluster before = cluster(2);
        for (int rank = 0; rank < WORKERS; rank++) {
            report(before.worker(rank), 0, 10);
        }
        Reports.scalar(before.worker(1), "a tag\u00e9 100 %", 3, Double.NaN).await();
        save(before, 9);
        List<Reports.Series> saved = Reports.of(before.worker(0));

        for (int servers : new int[] {1, 2, 3}) {
            TestCluster after = cluster(servers);
            load(after);
            List<Reports.Series> loaded = Reports.of(after.worker(0));
            assertThat(loaded).hasToString(saved.toString());
            assertThat(loaded.get(4).millis()).isEqualTo(saved.get(4).millis());
            for (int rank = 0; rank < WORKERS; rank++) {
                report(after.worker(rank), 10, 12);
            }
            List<Reports.Series> continued = Reports.of(after.worker(0));
            assertThat(continued).hasSize(WORKERS + 1);
            assertThat(continued.get(4).steps()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        }
    }

    @Test
    void valuesAfterTheCheckpointAreReplaced() {
        TestCluster cluster = cluster(2);
        report(cluster.worker(0), 0, 5);
        save(cluster, 4);
        report(cluster.worker(0), 5, 9);

        load(cluster);

        assertThat(Reports.of(cluster.worker(0)).get(0).steps()).containsExactly(0, 1, 2, 3, 4);
        Reports.scalar(cluster.worker(0), "loss", 5, 7).await();
        assertThat(Reports.of(cluster.worker(0)).get(0).values()).endsWith(1 / 5.0, 7);
    }

    @Test
    void aSeriesThatWasThinnedOutGoesOnAsEvenly() {
        TestCluster cluster = cluster(1);
        report(cluster.worker(0), 0, 3000);
        save(cluster, 4);
        load(cluster);

        report(cluster.worker(0), 3000, 3100);

        long[] steps = Reports.of(cluster.worker(0)).get(0).steps();
        assertThat(steps[1]).isEqualTo(8);
        assertThat(steps).isSorted().endsWith(3099);
        assertThat(Arrays.stream(steps).filter(step -> step > 3000).count()).isBetween(12L, 14L);
    }

    @Test
    void aModelIsLoadedWithoutReportsThatAreDamaged() throws IOException {
        TestCluster cluster = cluster(2);
        report(cluster.worker(0), 0, 5);
        save(cluster, 4);
        Path file = folder.resolve("m").resolve(SavedReports.file(4));
        Files.writeString(file, Files.readString(file).replace("0.5", "0.6"));

        load(cluster);

        assertThat(Reports.of(cluster.worker(0)).get(0).values()).startsWith(1, 0.5);
        Files.writeString(
                file,
                SavedReports.text(List.of(
                        new ReportedValues("loss", 0, new long[] {1}, new long[] {7}, new double[] {3}, 0),
                        new ReportedValues("no\nname", 0, new long[] {1}, new long[] {7}, new double[] {3}, 1))));
        load(cluster);
        report(cluster.worker(0), 2, 5);
        assertThat(Reports.of(cluster.worker(0)).stream().map(Reports.Series::tag))
                .containsExactly("loss");
        assertThat(Reports.of(cluster.worker(0)).get(0).steps()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void aTensorByItselfHasNoReportsAndBringsNone() throws IOException {
        TestCluster cluster = cluster(2);
        report(cluster.worker(0), 0, 5);
        Tensors.save(cluster.worker(0), TensorId.of("w"), "alone");
        try (var files = Files.walk(folder)) {
            assertThat(files.filter(each -> each.endsWith("reports"))).isEmpty();
        }
    }

    @Test
    void theFileOfAStepIsDeletedWithIt() throws IOException {
        TestCluster cluster = cluster(2);
        report(cluster.worker(0), 0, 5);
        for (int step = 1; step <= 4; step++) {
            save(cluster, step);
        }
        try (var files = Files.walk(folder.resolve("m"))) {
            assertThat(files.filter(each -> each.endsWith("reports"))).hasSize(2);
        }
    }

    @Test
    void aTextIsReadAsItWasWritten() {
        List<ReportedValues> series = List.of(
                new ReportedValues("loss", 0, new long[] {1, 5}, new long[] {7, 8}, new double[] {0.1, 1e-300}, 4),
                new ReportedValues(
                        "series 1 2", -3, new long[] {-1}, new long[] {7}, new double[] {Double.NEGATIVE_INFINITY}, 1),
                new ReportedValues("none", 2, new long[0], new long[0], new double[0], 1));
        String text = SavedReports.text(series);

        assertThat(SavedReports.parse(text)).usingRecursiveComparison().isEqualTo(series);
        assertThatThrownBy(() -> SavedReports.parse(text.replace("loss", "lose")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

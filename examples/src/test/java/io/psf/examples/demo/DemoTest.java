package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.examples.Program;
import io.psf.examples.plot.Evaluation;
import io.psf.examples.plot.Picture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

@Timeout(120)
class DemoTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void aSynchronousTrainingLearns() {
        assertThat(auc("--embedded", "--epochs", "3")).isGreaterThanOrEqualTo(0.90);
    }

    @Test
    @Tag("convergence")
    void anAsynchronousTrainingLearnsOnAnyNumberOfNodes() {
        assertThat(auc("--embedded", "--epochs", "3", "--mode", "async", "--servers", "3", "--workers", "3"))
                .isGreaterThanOrEqualTo(0.90);
    }

    /** The table in docs/guide/optimizers.md has the results after 5 epochs. */
    @Tag("convergence")
    @ParameterizedTest
    @EnumSource
    void itLearnsWithEveryOptimizer(DemoOptimizer optimizer) {
        assertThat(auc("--embedded", "--epochs", "1", "--optimizer", optimizer.toString()))
                .isGreaterThanOrEqualTo(0.90);
    }

    @Test
    @Tag("convergence")
    void itLearnsWithoutTheDurationToo() {
        assertThat(auc("--embedded", "--epochs", "3", "--realistic")).isGreaterThanOrEqualTo(0.76);
    }

    @Test
    @Tag("convergence")
    void itLearnsWithACacheInEachWorkerTooAndTransfersLess() {
        List<String> without = run("--embedded", "--epochs", "1");
        List<String> with = run("--embedded", "--epochs", "1", "--cache", "500");
        assertThat(aucOf(with)).isGreaterThanOrEqualTo(0.90);
        for (String bytes : List.of("bytes pushed", "bytes pulled")) {
            assertThat(number(bytes, with)).as(bytes).isLessThan(0.95 * number(bytes, without));
        }
    }

    @Test
    @Tag("long")
    void aTrainingContinuesAfterTheEpochThatWasSaved(@TempDir Path checkpoints) {
        double first = auc("--embedded", "--epochs", "1", "--checkpoints", checkpoints.toString());
        List<String> lines = run("--epochs", "2", "--cache", "100", "--checkpoints", checkpoints.toString());
        assertThat(lines)
                .noneMatch(line -> line.startsWith("epoch 1: "))
                .anyMatch(line -> line.startsWith("epoch 2: "));
        assertThat(aucOf(lines)).isGreaterThan(first - 0.005);
        assertThat(run("--embedded", "--epochs", "2", "--cache", "100", "--checkpoints", checkpoints.toString()))
                .contains("resumed after epoch 2: nothing is left to train, since the checkpoint has all 2");
    }

    @Test
    void itRunsAsRealProcessesAndSaysWhoJoins() throws IOException {
        List<String> lines = run("--epochs", "3");
        assertThat(lines)
                .anyMatch(line -> line.matches("epoch 1: loss 0\\.\\d{4}, AUC 0\\.\\d{4}"))
                .anyMatch(line -> line.matches("epoch 3: loss 0\\.\\d{4}, AUC 0\\.\\d{4}"))
                .contains("plot: " + folder.resolve("demo.png"))
                .noneMatch(line -> line.contains("\r") || line.contains("%"));
        assertThat(lines).filteredOn(line -> line.startsWith("epoch ")).hasSize(3);
        Picture.read(folder.resolve("demo.png")).requireTwoCurves();
        requirePage(Files.readString(folder.resolve("demo.html")), lines);
        assertThat(lines)
                .anyMatch(line -> line.contains(" [scheduler] INFO  server joined from 127.0.0.1:"))
                .anyMatch(line -> line.contains(" [scheduler] INFO  cluster is ready: 2 servers and 2 workers"));
        assertThat(lines).contains("  connections: shared memory");
        assertThat(aucOf(lines)).isGreaterThanOrEqualTo(0.90);
    }

    /** Checks that a page has the figures that were printed, and what the nodes did. */
    private static void requirePage(String page, List<String> lines) {
        lines.stream()
                .map(Evaluation::parse)
                .flatMap(Optional::stream)
                .forEach(each -> assertThat(page)
                        .containsPattern(String.format(
                                Locale.ROOT,
                                "<tr><td>%d</td><td>[0-9.]+ s</td><td>%.4f</td><td>%.4f</td></tr>",
                                each.at(),
                                each.loss(),
                                each.value())));
        for (String name : List.of("test AUC", "log loss", "examples a second", "bytes pushed", "bytes pulled")) {
            String printed = lines.stream()
                    .filter(line -> line.startsWith("  " + name))
                    .map(line -> line.substring(name.length() + 2).strip())
                    .findFirst()
                    .orElseThrow();
            assertThat(page).contains("<td>" + name + "</td><td>" + printed + "</td>");
        }
        assertThat(page).contains("<h2>Examples a second</h2>");
        assertThat(page).doesNotContainPattern("(?i)https?:|\\b(src|href)\\s*=");
    }

    @Test
    @Tag("long")
    void itRunsWithCertificatesThatAreMadeForIt() {
        List<String> lines = run("--tls", "--dashboard", "--epochs", "1", "--servers", "1", "--workers", "1");
        assertThat(lines)
                .anyMatch(line -> line.startsWith("[psf] TLS with certificates of this job"))
                .anyMatch(line ->
                        line.matches(".*the dashboard is at https://127\\.0\\.0\\.1:\\d+/\\?token=[0-9a-f]{32}"))
                .contains("  connections: shared memory, agreed to over TLS");
        assertThat(aucOf(lines)).isGreaterThanOrEqualTo(0.90);
    }

    @Test
    void anImpossibleOptionIsRefused() {
        StringWriter errors = new StringWriter();
        CommandLine demo = Program.commandLine(new DemoCommand());
        demo.setErr(new PrintWriter(errors));
        assertThat(demo.execute("--mode", "sometimes")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString().strip())
                .isEqualTo("psf: --mode: sometimes (expected: sync, async; see demo --help)");
        assertThat(demo.execute("--embedded", "--tls")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(demo.execute("--embedded", "--dashboard")).isEqualTo(CommandLine.ExitCode.USAGE);
        for (String rows : List.of("0", "-1")) {
            assertThatThrownBy(() -> options("--cache", rows))
                    .hasMessageContaining("'--cache': " + rows + " (expected: a whole number of at least 1)");
        }
        assertThat(options("--cache", "1").cache()).isEqualTo(1);
        assertThat(options().cache()).isZero();
    }

    private static TrainingOptions options(String... arguments) {
        TrainingOptions options = new TrainingOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create()
                        .addMixin("options", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
                .parseArgs(arguments);
        return options;
    }

    private double auc(String... arguments) {
        return aucOf(run(arguments));
    }

    private List<String> run(String... given) {
        List<String> arguments = new ArrayList<>(List.of(given));
        arguments.addAll(List.of("--plot", folder.resolve("demo.png").toString()));
        StringWriter out = new StringWriter();
        CommandLine demo = new CommandLine(new DemoCommand());
        demo.setOut(new PrintWriter(out));
        assertThat(demo.execute(arguments.toArray(String[]::new)))
                .as(out.toString())
                .isEqualTo(CommandLine.ExitCode.OK);
        return out.toString().lines().toList();
    }

    /** Returns the number of a line of the result. */
    private static double number(String name, List<String> lines) {
        return lines.stream()
                .map(String::strip)
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(
                        line.substring(name.length()).replace(",", "").strip()))
                .findFirst()
                .orElseThrow();
    }

    private static double aucOf(List<String> lines) {
        String last = lines.get(lines.size() - 1);
        assertThat(last).matches("AUC 0\\.\\d{3}");
        return Double.parseDouble(last.substring("AUC ".length()));
    }
}

package io.psf.examples.recommender;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.cli.LocalJob;
import io.psf.examples.Program;
import io.psf.examples.plot.Picture;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(300)
@Tag("convergence")
class RecommenderTest {
    @TempDir
    Path folder = Path.of("");

    /** The rounds have one push of each of two workers, so a repeated run gives the same values. */
    @Test
    void aJobThatWasKilledContinuesWhereItWasSaved() throws Exception {
        List<String> whole =
                run("--epochs", "2", "--checkpoints", folder.resolve("whole").toString());
        assertThat(whole.get(0)).startsWith("saved at epoch 1, batch 100: loss 0.");
        assertThat(auc(whole)).isGreaterThanOrEqualTo(0.9);
        assertThat(whole)
                .anyMatch(line -> line.matches("epoch 1: loss 0\\.\\d{4}, AUC 0\\.\\d{4}"))
                .anyMatch(line -> line.matches("epoch 2: loss 0\\.\\d{4}, AUC 0\\.\\d{4}"))
                .contains("plot: " + folder.resolve("recommender.png"))
                .noneMatch(line -> line.contains("\r"));
        Picture.read(folder.resolve("recommender.png")).requireTwoCurves();

        Path checkpoints = folder.resolve("killed");
        killAfterASave(checkpoints);
        List<String> continued = run("--epochs", "2", "--checkpoints", checkpoints.toString());
        assertThat(continued.get(0)).matches("resumed at epoch (1, batch 100|2, batch 59)");
        assertThat(auc(continued)).isEqualTo(auc(whole));

        List<String> again = run("--epochs", "2", "--checkpoints", checkpoints.toString());
        assertThat(again)
                .as("the end is saved, too")
                .hasSize(3)
                .startsWith(
                        "resumed at epoch 2, batch 141: nothing is left to train of 2 epochs",
                        "report: " + folder.resolve("recommender.html"));
        assertThat(auc(again)).isEqualTo(auc(whole));
    }

    private static void killAfterASave(Path checkpoints) throws InterruptedException {
        CountDownLatch saved = new CountDownLatch(1);
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(2)
                .workerMain(RecommenderMain.class, "--epochs=2")
                .environment(Map.of("PSF_CHECKPOINTS", checkpoints.toString()))
                .endOnFailure(false)
                .onLine((node, line) -> {
                    if (line.startsWith("saved at ")) {
                        saved.countDown();
                    }
                })
                .start()) {
            assertThat(saved.await(120, TimeUnit.SECONDS)).isTrue();
            for (String node : List.of("server 0", "worker 0", "server 1", "worker 1", "scheduler")) {
                job.kill(node);
            }
        }
    }

    private static double auc(List<String> lines) {
        String last = lines.get(lines.size() - 1);
        assertThat(last).startsWith("AUC ");
        return Double.parseDouble(last.substring(4));
    }

    private List<String> run(String... given) {
        List<String> arguments = new ArrayList<>(List.of(given));
        arguments.addAll(List.of("--plot", folder.resolve("recommender.png").toString()));
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new RecommenderMain());
        command.setOut(new PrintWriter(out));
        assertThat(command.execute(arguments.toArray(String[]::new)))
                .as(out.toString())
                .isZero();
        return out.toString().lines().toList();
    }

    @Test
    void anImpossibleOptionIsRefused() {
        CommandLine command = Program.commandLine(new RecommenderMain());
        StringWriter errors = new StringWriter();
        command.setErr(new PrintWriter(errors));
        assertThat(command.execute("--epochs", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString().strip())
                .isEqualTo("psf: --epochs: 0 (expected: a whole number of at least 1; see recommender --help)");
    }
}

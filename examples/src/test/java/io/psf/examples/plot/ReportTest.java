package io.psf.examples.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ReportTest {
    private final StringWriter out = new StringWriter();

    @Test
    void withoutATerminalEachMeasurementIsALineAndThereIsNoBar() {
        try (Report report = new Report(new PrintWriter(out), false, 10)) {
            report.at(1, "loss 2");
            report.measured("epoch 1: loss 0.5000, AUC 0.9000", 5);
            report.say("a warning");
        }
        assertThat(out.toString().lines()).containsExactly("epoch 1: loss 0.5000, AUC 0.9000", "a warning");
        assertThat(out.toString()).doesNotContain("\r").doesNotContain("\u001b");
    }

    @Test
    void onATerminalALineTakesThePlaceOfTheBar() {
        try (Report report = new Report(new PrintWriter(out), true, 10)) {
            report.measured("epoch 1: loss 0.5000, AUC 0.9000", 5);
            report.say("a warning");
            report.end();
            report.say("the end");
        }
        assertThat(out.toString()).startsWith("\r\u001b[Ka warning").endsWith("the end" + System.lineSeparator());
        assertThat(out.toString().substring(4)).doesNotContain("\r");
    }

    @Test
    void theEvaluationsOfANodeAreKeptAndItsInformationIsNotShown() {
        try (Report report = new Report(new PrintWriter(out), false, 10)) {
            report.show("round 10: loss 0.5000, accuracy 0.9000");
            report.show("12:00:00.000 [server 0] INFO  tensor w created");
            report.show("12:00:00.000 [server 0] WARN  a connection broke");
            report.show("a program's line");
            assertThat(report.evaluations()).containsExactly(new Evaluation("round", 10, 0.5, "accuracy", 0.9));
        }
        assertThat(out.toString().lines())
                .containsExactly(
                        "round 10: loss 0.5000, accuracy 0.9000",
                        "12:00:00.000 [server 0] WARN  a connection broke",
                        "a program's line");
    }

    @Test
    void theLineOfAnEpochIsReadAgain() {
        Evaluation result = new Evaluation("epoch", 3, 0.25, "AUC", 0.93);
        assertThat(Evaluation.parse(result.toString())).contains(result);
        assertThat(Evaluation.parse("epoch: 1 step: 1, loss is 2.3")).isEmpty();
    }

    @Test
    void aPictureOfOneEpochHasItsTwoMarks(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("one.png");
        Evaluation.draw(List.of(new Evaluation("epoch", 1, 0.25, "AUC", 0.93)), file, "One", Machine.with(1, 1));
        Picture picture = Picture.read(file);
        for (int hue : Picture.HUES.subList(0, 2)) {
            assertThat(picture.legend(hue)).as("legend of %s", hue).isNotEmpty();
        }
        assertThat(Machine.with(1, 2)).matches(".+, \\d+ processors?; 1 worker, 2 servers");
    }

    @Test
    void aPictureThatCannotBeWrittenIsRefusedBeforeTheTraining(@TempDir Path folder) {
        String nowhere = folder.resolve("none").resolve("a.png").toString();
        assertThatThrownBy(() -> plot("a.png", "--plot", nowhere).check())
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION))
                .hasMessageContaining("--plot: ")
                .hasMessageContaining("(expected: a file in a folder that exists and can be written)");
        assertThatThrownBy(() -> plot("a.png", "--plot", folder.toString()).check())
                .isInstanceOf(PsException.class);
    }

    /** Nobody has asked for the picture. */
    @Test
    void aTrainingInAFolderThatCannotBeWrittenHasNoPicture(@TempDir Path folder) {
        Path nowhere = folder.resolve("none").resolve("a.png");
        PlotOption plot = plot(nowhere.toString());
        Report report = new Report(new PrintWriter(out), false, 1);
        report.say(new Evaluation("epoch", 1, 0.25, "AUC", 0.93));
        plot.check();
        plot.draw(report, "One", "");
        assertThat(out.toString()).contains("plot: " + nowhere + " cannot be written; --plot names another file");
    }

    @Test
    void thePageHasTheFiguresThatWerePrinted(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("demo.html");
        PlotOption plot = plot(folder.resolve("demo.png").toString());
        try (Report report = new Report(new PrintWriter(out), false, 2)) {
            report.examples(1000);
            report.show("epoch 1: loss 0.5000, AUC 0.9000");
            report.show("epoch 2: loss 0.2500, AUC 0.9312");
            report.figure("log loss", "0.2401");
            plot.draw(report, "One & two", "a machine");
        }
        assertThat(out.toString().lines()).endsWith("report: " + file);
        String page = Files.readString(file);
        assertThat(page)
                .contains("<h1>One &amp; two</h1>", "<td>log loss</td><td>0.2401</td>")
                .containsPattern("<td>1</td><td>[0-9.]+ s</td><td>0.5000</td><td>0.9000</td>")
                .containsPattern("<td>2</td><td>[0-9.]+ s</td><td>0.2500</td><td>0.9312</td>")
                .containsPattern("<title>loss: 0.25 at [0-9.e-]+</title>")
                .containsPattern("<title>AUC: 0.9312 at [0-9.e-]+</title>")
                .containsPattern("<title>all workers: [0-9,.]+ at [0-9.e-]+</title>");
    }

    @Test
    void thePageIsWhereTheOptionSays(@TempDir Path folder) {
        Path elsewhere = folder.resolve("b.html");
        PlotOption plot = plot(folder.resolve("a.png").toString(), "--report", elsewhere.toString());
        Report report = new Report(new PrintWriter(out), false, 1);
        plot.draw(report, "One", "");
        assertThat(elsewhere).exists();
        assertThatThrownBy(() -> plot("a.png", "--report", folder.toString()).check())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("--report: ");
    }

    @Command
    private static final class Training {
        @Mixin
        private final PlotOption plot;

        Training(PlotOption plot) {
            this.plot = plot;
        }
    }

    private static PlotOption plot(String file, String... arguments) {
        Training training = new Training(new PlotOption(file));
        new CommandLine(training).parseArgs(arguments);
        return training.plot;
    }
}

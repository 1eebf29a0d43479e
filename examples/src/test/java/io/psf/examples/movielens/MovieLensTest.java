package io.psf.examples.movielens;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.examples.Program;
import io.psf.examples.Workers;
import io.psf.examples.data.RealData;
import io.psf.examples.plot.Picture;
import io.psf.runtime.PsCluster;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Timeout(240)
@Tag("convergence")
class MovieLensTest {
    private static List<Measurement> train(Consistency mode, int epochs) {
        Split data = Split.of(RealData.ratings());
        MovieLensOptions options = new MovieLensOptions();
        options.mode = mode;
        options.epochs = epochs;
        List<Measurement> measurements = new CopyOnWriteArrayList<>();
        try (PsCluster cluster = PsCluster.embedded(1, 2)) {
            Workers.run(cluster, worker -> {
                try (worker) {
                    new MovieLensTraining(worker, data, options).run(measurements::add);
                }
            });
        }
        return measurements;
    }

    @ParameterizedTest
    @CsvSource({"SSP, 20, 0.89", "BSP, 3, 0.91", "ASP, 3, 0.91"})
    void theErrorOfHeldOutRatings(Consistency mode, int epochs, double most) {
        List<Measurement> measurements = train(mode, epochs);
        assertThat(measurements.get(0).rmse()).as("at first").isGreaterThan(1);
        Measurement last = measurements.get(measurements.size() - 1);
        assertThat(last.mode()).isEqualTo(mode.toString());
        assertThat(last.epoch()).isEqualTo(epochs);
        assertThat(last.rmse()).isLessThanOrEqualTo(most);
    }

    @Test
    void allModesAreRunAndDrawn(@TempDir Path folder) throws Exception {
        assertThat(RealData.ratings()).isNotEmpty();
        Path file = folder.resolve("loss.png");
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new MovieLensMain());
        command.setOut(new PrintWriter(out));
        int code = command.execute("--epochs", "1", "--pause", "1", "--plot", file.toString());
        assertThat(code).as(out.toString()).isZero();
        for (String mode : List.of("bsp", "ssp", "asp")) {
            assertThat(out.toString().lines()).anyMatch(line -> line.startsWith(mode + ": epoch 1.00, "));
        }
        assertThat(out.toString())
                .contains("plot: " + file + System.lineSeparator())
                .endsWith("report: " + folder.resolve("loss.html") + System.lineSeparator())
                .doesNotContain("\r");
        String page = Files.readString(folder.resolve("loss.html"));
        out.toString()
                .lines()
                .map(Measurement::parse)
                .flatMap(Optional::stream)
                .forEach(each -> assertThat(page)
                        .contains(String.format(
                                Locale.ROOT,
                                "<tr><td>%s</td><td>%.2f</td><td>%.2f s</td><td>%.4f</td></tr>",
                                each.mode(),
                                each.epoch(),
                                each.seconds(),
                                each.rmse())));
        Picture picture = Picture.read(file);
        for (int hue : Picture.HUES) {
            List<Integer> heights =
                    picture.curve(hue).stream().map(at -> at.y).distinct().toList();
            assertThat(heights).as("heights of the curve of hue %s", hue).hasSizeGreaterThan(50);
        }
    }

    @Test
    void anImpossibleOptionIsRefused() {
        CommandLine command = Program.commandLine(new MovieLensMain());
        StringWriter errors = new StringWriter();
        command.setErr(new PrintWriter(errors));
        assertThat(command.execute("--mode", "sometimes")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString().strip())
                .isEqualTo("psf: --mode: sometimes (expected: bsp, ssp, asp; see movielens --help)");
    }
}

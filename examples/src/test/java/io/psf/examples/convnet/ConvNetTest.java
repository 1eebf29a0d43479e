package io.psf.examples.convnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.TensorId;
import io.psf.builtin.Rounds;
import io.psf.builtin.Tensors;
import io.psf.examples.Mode;
import io.psf.examples.Program;
import io.psf.examples.Workers;
import io.psf.examples.data.Mnist;
import io.psf.examples.data.RealData;
import io.psf.examples.plot.Picture;
import io.psf.runtime.PsCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("convergence")
class ConvNetTest {
    private Mnist data = new Mnist(RealData.NONE, RealData.NONE);

    @BeforeAll
    void readTheData() {
        data = RealData.mnist();
    }

    private List<String> train(int workers, Consumer<ConvNetOptions> change) {
        ConvNetOptions options = new ConvNetOptions();
        change.accept(options);
        List<String> lines = new CopyOnWriteArrayList<>();
        try (PsCluster cluster = PsCluster.embedded(2, workers)) {
            Workers.run(cluster, worker -> {
                try (worker) {
                    new ConvNetTraining(worker, data, options).run(lines::add);
                }
            });
        }
        return lines;
    }

    private static double last(List<String> lines) {
        String line = lines.get(lines.size() - 1);
        return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
    }

    @Test
    void ry4_aSynchronousTrainingLearns() {
        List<String> lines = train(2, options -> {});
        assertThat(lines).hasSize(20);
        assertThat(lines.get(0)).matches("round 10: loss \\d\\.\\d{4}, accuracy 0\\.\\d{4}");
        assertThat(lines.get(19)).matches("round 200: loss 0\\.\\d{4}, accuracy 0\\.\\d{4}");
        assertThat(last(lines)).isGreaterThanOrEqualTo(0.82);
        double compressed = last(train(2, options -> options.compression = ConvNetOptions.Compression.TWO_BITS));
        assertThat(compressed).as("with gradients of two bits").isEqualTo(last(lines), within(0.01));
    }

    @Test
    void ry4_anAsynchronousTrainingLearns() {
        List<String> lines = train(2, options -> options.mode = Mode.ASYNC);
        assertThat(lines).hasSize(40);
        assertThat(lines).anyMatch(line -> line.startsWith("update 10: "));
        assertThat(lines).anyMatch(line -> line.startsWith("update 400: "));
        assertThat(last(lines)).isGreaterThanOrEqualTo(0.82);
    }

    /** Of three workers that are equally fast, each round waits for two, and counts the push of the third as late. */
    @Test
    void aTrainingWithoutTheStragglersLearns() {
        ConvNetOptions options = new ConvNetOptions();
        options.quorum = 2;
        options.rounds = 100;
        List<String> lines = new CopyOnWriteArrayList<>();
        List<Rounds> counted = new CopyOnWriteArrayList<>();
        TensorId weights = TensorId.of(ConvNet.create().parameters().get(0).name());
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            Workers.run(cluster, worker -> {
                try (worker) {
                    new ConvNetTraining(worker, data, options).run(lines::add);
                    counted.add(Tensors.rounds(worker, weights));
                }
            });
        }
        assertThat(last(lines)).isGreaterThanOrEqualTo(0.8);
        Rounds atTheEnd = counted.get(2);
        long late = atTheEnd.late().values().stream().mapToLong(Long::longValue).sum();
        assertThat(atTheEnd.closed()).isGreaterThanOrEqualTo(100);
        assertThat(late).isGreaterThanOrEqualTo(10); // one in each round, unless a worker gets no processor
    }

    @Test
    void anotherUpdateRuleIsAnOption() {
        List<String> lines = train(1, options -> {
            options.optimizer = UpdateRule.LION;
            options.learningRate = 0.001;
            options.rounds = 60;
        });
        assertThat(last(lines)).isGreaterThanOrEqualTo(0.7);
    }

    @Test
    void itRunsAsRealProcesses(@TempDir Path folder) throws IOException {
        Path plot = folder.resolve("convnet.png");
        List<String> lines =
                run(CommandLine.ExitCode.OK, "--rounds", "20", "--servers", "1", "--plot", plot.toString());
        assertThat(lines).hasSize(4).noneMatch(line -> line.contains("\r"));
        assertThat(lines.get(1)).matches("round 20: loss \\d\\.\\d{4}, accuracy 0\\.\\d{4}");
        assertThat(lines.get(2)).isEqualTo("plot: " + plot);
        assertThat(lines.get(3)).isEqualTo("report: " + folder.resolve("convnet.html"));
        Picture.read(plot).requireTwoCurves();
    }

    @Test
    void anImpossibleOptionIsRefused() {
        CommandLine command = Program.commandLine(new ConvNetMain());
        StringWriter errors = new StringWriter();
        command.setErr(new PrintWriter(errors));
        assertThat(command.execute("--mode", "sometimes")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString().strip())
                .isEqualTo("psf: --mode: sometimes (expected: sync, async; see convnet --help)");
    }

    private static List<String> run(int code, String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new ConvNetMain());
        command.setOut(new PrintWriter(out));
        assertThat(command.execute(arguments)).as(out.toString()).isEqualTo(code);
        return out.toString().lines().toList();
    }
}

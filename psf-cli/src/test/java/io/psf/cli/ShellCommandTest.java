package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.PsCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import jdk.jshell.tool.JavaShellToolBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ShellCommandTest {
    @Test
    void aConnectedWorkerIsAtHand() throws Exception {
        String said = run("""
                var w = Tensors.init(worker, TensorSpec.dense("w", 3).optimizer(Optimizers.sgd(0.5)))
                Tensors.push(worker, w, new float[] {1, 2, 4}).await()
                Tensors.pull(worker, w)
                Tensors.list(worker).size() + " tensor, rank " + worker.rank()
                nonsense(worker)
                1 + 41
                /exit
                """);
        assertThat(said)
                .contains("{ -0.5, -1.0, -2.0 }")
                .contains("\"1 tensor, rank 0\"")
                .contains("cannot find symbol")
                .contains("42");
    }

    private static String run(String snippets) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
        try (PsCluster cluster = PsCluster.embedded(2)) {
            int code = new ShellCommand()
                    .run(
                            cluster.worker(),
                            JavaShellToolBuilder.builder()
                                    .in(new ByteArrayInputStream(snippets.getBytes(StandardCharsets.UTF_8)), null)
                                    .out(printed)
                                    .err(printed)
                                    .persistence(new HashMap<>()));
            assertThat(code).as(out.toString(StandardCharsets.UTF_8)).isZero();
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}

package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Python;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slices go from server to server while a client in Python pushes and pulls: each push is applied once on each slice. */
@Timeout(120)
final class PythonMovesTest {
    private static final int MOVES = 12 * Integer.getInteger("psf.laws.times", 1);

    @Test
    void callsOfPythonFollowTheSlicesWhileConnectionsAreCut() throws Exception {
        String python = Python.with("numpy");
        try (PsCluster cluster = PsCluster.builder()
                        .tcp()
                        .servers(3)
                        .workers(0)
                        .lanes(2)
                        .asService()
                        .start();
                Client client = cluster.client()) {
            SliceMover mover = new SliceMover(cluster, client);
            List<TensorId> moved = Tensors.init(
                    client,
                    List.of(
                            TensorSpec.dense("dense", 3000).slices(6),
                            TensorSpec.table("table", 300, 4).slices(5)));
            Process process = Python.start(
                    python,
                    Map.of("PSF_SCHEDULER", "127.0.0.1:" + cluster.scheduler().port()),
                    List.of("-m", "tests.moving"));
            try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
                assertThat(printed.readLine()).isEqualTo("ready");
                try (BufferedWriter moves = process.outputWriter(StandardCharsets.UTF_8)) {
                    for (int i = 0; i < MOVES; i++) {
                        mover.move(moved.get(i % 2)).join();
                        moves.write("moved\n");
                        moves.flush();
                        assertThat(printed.readLine()).isEqualTo("went on");
                    }
                }
                assertThat(printed.lines().toList()).containsExactly("exact: True", "torn: 0");
                assertThat(process.waitFor()).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
    }
}

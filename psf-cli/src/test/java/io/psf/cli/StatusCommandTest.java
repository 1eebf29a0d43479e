package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(120)
class StatusCommandTest {
    private static String status(int port, String... options) {
        StringWriter said = new StringWriter();
        CommandLine psf = Main.commandLine();
        psf.setOut(new PrintWriter(said));
        psf.setErr(new PrintWriter(said, true));
        String[] arguments = new String[options.length + 3];
        arguments[0] = "status";
        arguments[1] = "--scheduler";
        arguments[2] = "127.0.0.1:" + port;
        System.arraycopy(options, 0, arguments, 3, options.length);
        return psf.execute(arguments) + ": " + said;
    }

    @Test
    void aRunningClusterIsPrintedAsTablesAndAsJson() {
        int port;
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(1).tcp().start()) {
            port = cluster.scheduler().port();
            Tensors.init(cluster.worker(), TensorSpec.table("items", 1000, 16));
            assertThat(status(port, "--once"))
                    .startsWith("0: NODE")
                    .containsPattern("server +1 +127.0.0.1:[0-9]+")
                    .containsPattern("worker +0 +-")
                    .containsPattern("items +\\[1000, 16\\] +2 +host +1000 +62.5 KiB +0 B +0 B +Add")
                    .contains("FUNCTION");
            assertThat(status(port, "--json"))
                    .startsWith("0: {\"members\":[{\"role\":\"server\",\"rank\":0,")
                    .contains("{\"name\":\"items\",\"rows\":1000,\"width\":16,\"grows\":false,")
                    .contains("{\"function\":\"psf.list\",\"outcomes\":{\"OK\":2}");
        }
        assertThat(status(port, "--once")).startsWith("1: psf: UNAVAILABLE: ").contains("127.0.0.1:" + port);
    }

    @Test
    void theIntervalIsPositive() {
        assertThat(status(1, "--interval", "0"))
                .startsWith("2: psf: --interval: 0.0 (expected: above 0, at most 86400)");
    }
}

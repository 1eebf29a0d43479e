package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.PsCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import javax.tools.ToolProvider;
import jdk.jshell.tool.JavaShellToolBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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

    /** The class is on no class path of this JVM. */
    @Test
    void classesOfTheOptionCanBeUsed(@TempDir Path folder) throws Exception {
        Path source = Files.writeString(
                folder.resolve("Doubled.java"),
                "package acme; public class Doubled { public static int of(int n) { return 2 * n; } }");
        int code =
                ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", folder.toString(), source.toString());
        assertThat(code).isZero();
        String said = run("""
                acme.Doubled.of(21)
                int twice(int n) { return acme.Doubled.of(n) + n; }
                int twice(int n) { return acme.Doubled.of(n); }
                twice(50)
                new acme.Doubled().getClass().getName()
                /exit
                """, "--classpath", folder.toString());
        assertThat(said).contains("42").contains("100").contains("\"acme.Doubled\"");
    }

    private static String run(String snippets, String... options) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
        try (PsCluster cluster = PsCluster.embedded(2)) {
            ShellCommand command = CommandLine.populateCommand(new ShellCommand(), options);
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            command.useClassPath();
            int code = JShell.run(
                    cluster.worker(),
                    ClassPathOption.entries(options.length == 0 ? "" : options[1]),
                    JavaShellToolBuilder.builder()
                            .in(new ByteArrayInputStream(snippets.getBytes(StandardCharsets.UTF_8)), null)
                            .out(printed)
                            .err(printed)
                            .persistence(new HashMap<>()));
            Thread.currentThread().setContextClassLoader(before);
            assertThat(code).as(out.toString(StandardCharsets.UTF_8)).isZero();
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}

package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
                DensePullPsf.stub(worker).call(w).await().values().get(1) * 100
                var s = KVStore.create(worker, "dist_sync")
                s.init("k", new float[] {1, 2})
                s.push("k", new float[] {4, 5}).await()
                var a = new float[2]
                s.pull("k", a).await()
                a
                /exit
                """);
        assertThat(said)
                .contains("-100.0")
                .contains("{ 4.0, 5.0 }")
                .contains("{ -0.5, -1.0, -2.0 }")
                .contains("\"1 tensor, rank 0\"")
                .contains("cannot find symbol")
                .contains("42");
    }

    /** A tensor that is there is a constant, unless its name cannot be that of one. */
    @Test
    void theTensorsOfTheClusterAreAtHand() throws Exception {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            for (String name : List.of("demo.wide", "new", "7", "with \"quotes\"", "worker", "w")) {
                Tensors.init(cluster.worker(), TensorSpec.dense(name, 3).initializer(Initializers.constant(7)));
            }
            assertThat(run(cluster, """
                    Tensors.pull(worker, tensor.demo_wide)
                    Tensors.pull(worker, tensor.w).length + 10
                    worker.rank() + " is the rank"
                    /exit
                    """))
                    .contains("{ 7.0, 7.0, 7.0 }")
                    .contains("13")
                    .contains("\"0 is the rank\"")
                    .doesNotContain("rror");
        }
    }

    /** As in MXNet's document: a scheduler and a server wait for the worker, which is a person at a prompt. */
    @Test
    void theShellIsTheWorkerOfAWaitingCluster(@TempDir Path folder) throws Exception {
        Path said = folder.resolve("said");
        SchedulerConfig config = SchedulerConfig.of(1, 1);
        try (Scheduler scheduler = Scheduler.start(config)) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(() ->
                    Server.start(ServerConfig.of("127.0.0.1", scheduler.port())).awaitTermination());
            ProcessBuilder builder = new ProcessBuilder(
                            NodeJvm.command(System.getProperty("java.class.path"), List.of(), "shell"))
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile());
            builder.environment()
                    .putAll(Map.of(
                            "DMLC_ROLE", "worker",
                            "DMLC_NUM_SERVER", "1",
                            "DMLC_NUM_WORKER", "1",
                            "DMLC_PS_ROOT_URI", "127.0.0.1",
                            "DMLC_PS_ROOT_PORT", "" + scheduler.port()));
            Process shell = builder.start();
            try (Writer prompt = shell.outputWriter(StandardCharsets.UTF_8)) {
                prompt.write("""
                        var s = KVStore.create(worker, "dist_sync")
                        s.init("w", new float[] {1, 2, 3})
                        s.push("w", new float[] {4, 5, 6}).await()
                        var a = new float[3]
                        s.pull("w", a).await()
                        a
                        /exit
                        """);
            }
            assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(said)).contains("{ 4.0, 5.0, 6.0 }");
            assertThat(shell.exitValue()).isZero();
            server.get(60, TimeUnit.SECONDS);
            scheduler.awaitTermination();
        }
    }

    /** All ranks of its workers are taken, or it has none yet. */
    @Test
    void theShellIsAClientOfAClusterThatIsComplete(@TempDir Path folder) throws Exception {
        Path said = folder.resolve("said");
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).asService());
                Server server = Server.start(ServerConfig.of("127.0.0.1", scheduler.port()))) {
            Process shell = new ProcessBuilder(NodeJvm.command(
                            System.getProperty("java.class.path"),
                            List.of(),
                            "shell",
                            "--scheduler",
                            "127.0.0.1:" + scheduler.port()))
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            try (Writer prompt = shell.outputWriter(StandardCharsets.UTF_8)) {
                prompt.write("""
                        var w = Tensors.init(client, TensorSpec.dense("w", 3))
                        Tensors.push(client, w, new float[] {4, 5, 6}).await()
                        Tensors.pull(client, w)
                        client.workers() + " workers"
                        /exit
                        """);
            }
            assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(said)).contains("{ 4.0, 5.0, 6.0 }").contains("\"0 workers\"");
            assertThat(shell.exitValue()).isZero();
            assertThat(server.rank()).isZero();
            scheduler.end();
        }
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
        try (PsCluster cluster = PsCluster.embedded(2)) {
            return run(cluster, snippets, options);
        }
    }

    private static String run(PsCluster cluster, String snippets, String... options) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
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
        return out.toString(StandardCharsets.UTF_8);
    }
}

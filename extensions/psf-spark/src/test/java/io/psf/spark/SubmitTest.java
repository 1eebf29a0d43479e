package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import io.psf.spark.submitted.SubmittedApplication;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.deploy.SparkSubmit;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Applications that are submitted as a user submits them: Spark's jars are on the class path of driver and executors,
 * those of psf and of the application come by {@code --jars}.
 */
@Timeout(180)
final class SubmitTest {
    private static final List<String> PATH =
            Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    /** The jars that docs/spark.md names. */
    private static final List<String> MODULES =
            List.of("psf-spark", "psf-hadoop", "psf-builtin", "psf-runtime", "psf-api");

    private static final Path CLASSES = Path.of("target/test-classes");
    private static final String SECRET = "a secret of the test";
    private static final String PLUGIN = "spark.plugins=" + PsfPlugin.class.getName();

    @TempDir
    Path folder;

    /** The certificate comes by {@code --files}. */
    @Test
    void jarsOfAnApplicationAreServedOverTls() throws Exception {
        TlsAuthority.Issued node = new TlsAuthority(folder, "authority").issue("node");
        List<String> conf = List.of(
                PLUGIN,
                "spark.psf.servers=1",
                "spark.files=" + node.certificate() + "," + node.key() + "," + node.authority(),
                "spark.psf.tls.certificate=" + node.certificate().getFileName(),
                "spark.psf.tls.key=" + node.key().getFileName(),
                "spark.psf.tls.authority=" + node.authority().getFileName());
        assertThat(submit(1, conf))
                .contains("tasks: [100 in ", "servers: 1", "tensor: from 4.0 to 4.0")
                .contains("in MutableURLClassLoader");
    }

    @Tag("long")
    @Test
    void anApplicationWithoutThePluginStartsItsServersInExecutors() throws Exception {
        assertThat(submit(2, List.of("spark.psf.servers=2"), "start"))
                .contains("tasks: [100 in ", "servers: 2", "tensor: from 4.0 to 4.0");
    }

    @Test
    @Tag("long")
    void applicationsUseAClusterThatIsThere() throws Exception {
        SchedulerConfig config = SchedulerConfig.of(1, 1).asService().withSecret(SECRET);
        try (Scheduler scheduler = Scheduler.start(config.listen("127.0.0.1", 0));
                Server server = Server.start(
                        ServerConfig.of("127.0.0.1", scheduler.port()).withSecret(SECRET))) {
            List<String> conf =
                    List.of(PLUGIN, "spark.psf.scheduler=127.0.0.1:" + scheduler.port(), "spark.psf.secret=" + SECRET);
            assertThat(submit(1, conf)).contains("servers: 1", "tensor: from 4.0 to 4.0");
            assertThat(submit(1, conf)).contains("servers: 1", "tensor: from 8.0 to 8.0"); // the tensor is there
            assertThat(server.port()).isPositive();
            scheduler.end();
        }
    }

    /** Runs the application, and returns what it has printed. */
    private String submit(int executors, List<String> conf, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(Arrays.asList(LocalCluster.FLAGS.split(" ")));
        command.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptions().split(" ")));
        command.addAll(List.of("-cp", sparkPath(), SparkSubmit.class.getName()));
        command.addAll(
                List.of("--master", "local-cluster[" + executors + ",1,1024]", "--jars", String.join(",", jars())));
        command.addAll(List.of("--class", SubmittedApplication.class.getName()));
        Stream.concat(
                        Stream.of(
                                "spark.ui.enabled=false",
                                "spark.executor.extraJavaOptions=" + LocalCluster.FLAGS,
                                "spark.executor.extraClassPath=" + sparkPath()),
                        conf.stream())
                .forEach(each -> command.addAll(List.of("--conf", each)));
        command.add(applicationJar().toString());
        command.addAll(Arrays.asList(arguments));
        Path output = Files.createTempFile(folder, "output", ".txt");
        Path errors = Files.createTempFile(folder, "errors", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        Path home = folder.resolve("spark");
        Files.createDirectories(home.resolve("jars"));
        builder.environment().putAll(Map.of("SPARK_HOME", home.toString()));
        Process process = builder.start();
        try {
            process.waitFor(100, TimeUnit.SECONDS);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        assertThat(process.exitValue())
                .as(() -> read(errors) + executorErrors(home.resolve("work")))
                .isZero();
        return read(output);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns what the first executor has logged. */
    private static String executorErrors(Path work) {
        try (Stream<Path> files = Files.walk(work)) {
            return files.filter(file -> file.endsWith(Path.of("0", "stderr")))
                    .map(SubmitTest::read)
                    .collect(Collectors.joining());
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Returns the class path of a Spark that knows nothing of psf. */
    private static String sparkPath() {
        Predicate<String> isSpark = entry -> entry.endsWith(".jar")
                && !Path.of(entry).getFileName().toString().startsWith("psf-")
                && !entry.contains("snakeyaml-engine");
        return String.join(File.pathSeparator, PATH.stream().filter(isSpark).toList());
    }

    /** Returns the jars of psf: where Maven has compiled but not packaged a module, one is made of its classes. */
    private List<String> jars() throws IOException {
        List<String> jars = new ArrayList<>();
        for (String module : MODULES) {
            Path entry = PATH.stream()
                    .map(Path::of)
                    .filter(path -> path.endsWith(Path.of(module, "target", "classes"))
                            || path.getFileName().toString().matches(module + "-\\d.*(?<!tests)\\.jar"))
                    .findFirst()
                    .orElseThrow();
            jars.add(
                    Files.isDirectory(entry)
                            ? jar(folder.resolve(module + ".jar"), entry, path -> true)
                                    .toString()
                            : entry.toString());
        }
        return jars;
    }

    private Path applicationJar() throws IOException {
        return jar(folder.resolve("application.jar"), CLASSES, SubmitTest::isOfApplication);
    }

    private static boolean isOfApplication(Path name) {
        Path file = CLASSES.resolve(name);
        return name.startsWith(Path.of("io/psf/spark/submitted"))
                || name.startsWith("META-INF") && read(file).contains("io.psf.spark.submitted");
    }

    private static Path jar(Path jar, Path classes, Predicate<Path> has) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> files = Files.walk(classes)) {
            for (Path path : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                Path name = classes.relativize(path);
                if (has.test(name)) {
                    out.putNextEntry(new JarEntry(name.toString()));
                    Files.copy(path, out);
                    out.closeEntry();
                }
            }
        }
        return jar;
    }
}

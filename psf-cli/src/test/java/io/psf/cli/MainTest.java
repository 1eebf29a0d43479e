package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Timeout(120)
class MainTest {
    @Test
    void aWorkerWithoutAProgramIsToldToBringOne() throws Exception {
        assertThat(psf(Map.of("PSF_ROLE", "worker"), "node"))
                .isEqualTo(
                        "2: psf: PSF_ROLE: worker (expected: scheduler or server, since a worker is a program of your"
                                + " own: run that with these settings, or use psf launch -- COMMAND)");
    }

    @Test
    void whatIsMissingIsOneSentence() throws Exception {
        assertThat(psf(Map.of(), "server"))
                .isEqualTo("2: psf: PSF_SCHEDULER: not set (expected: host:port of the scheduler; also accepted:"
                        + " DMLC_PS_ROOT_URI with DMLC_PS_ROOT_PORT, MS_SCHED_HOST with MS_SCHED_PORT)");
    }

    @Test
    void anOptionThatIsNotThereIsOneSentence() throws Exception {
        assertThat(psf(Map.of(), "node", "--rol", "server"))
                .startsWith("2: psf: Unknown option")
                .endsWith("(did you mean --role? see psf node --help)")
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @CsvSource({
        "launch --servers x -- true, --servers: x (expected: a whole number; see psf launch --help)",
        "launch --servers, --servers: not set (expected: a whole number; see psf launch --help)",
        "launch --workers 2- -- true, '--workers: 2- (expected: a whole number, and a plus if more may join, such as 2+; see psf launch --help)'",
        "launch --lifetime long -- true, 'PSF_LIFETIME: long in the options (expected: how long the cluster lives: job, until its last worker leaves, or service, until it is told to end)'",
        "health --node x, 'PSF_HEALTH: x in the options (expected: host:port for the probes of a node, port 0 for any)'",
        "health --node h:1 --scheduler h:1, '--node, --scheduler: both are given (expected: one of them)'",
        "status, '--scheduler: not set (expected: host:port, where the scheduler listens, which psf launch prints; or the setting PSF_SCHEDULER)'",
        "launch --workers 0 -- true, '--workers: 0 (expected: at least 1 for a COMMAND; 0 for a service without one)'",
        "launch, 'COMMAND: not set (expected: the program and its arguments, after --; see psf launch --help)'",
        "launch --report none/job.html -- true, --report: none/job.html (expected: a file in a folder that exists)",
        "explain --for soon --scheduler h:1, '--for: soon (expected: seconds, at least 3s, such as 10s)'",
        "explain pom.xml, 'REPORT: pom.xml (expected: a page of a job that was watched, such as psf launch --report writes;"
                + " no part that explains the job)'",
        "explain --for 2s --scheduler h:1, '--for: 2s (expected: seconds, at least 3s, such as 10s)'",
        "status --interval soon, --interval: soon (expected: a number; see psf status --help)",
        "new function axpy, --package: not set (expected: for example acme; see psf new function --help)"
    })
    void aWrongArgumentIsWhatItIsAndWhatIsExpected(String command, String sentence) {
        Cli.Said said = Cli.run(command.split(" ", -1));

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err()).isEqualTo("psf: " + sentence);
    }

    @Test
    void optionsWinOverTheEnvironment() throws Exception {
        assertThat(psf(Map.of("DMLC_ROLE", "worker"), "node", "--role", "server", "--scheduler", "nowhere"))
                .isEqualTo("2: psf: PSF_SCHEDULER: nowhere in the options (expected: host:port of the scheduler)");
    }

    @Test
    void theDevicesOfAServerAreAnOption() throws Exception {
        String expected = " (expected: the numbers of the devices that a server uses, such as 0 or 0,1, each a whole"
                + " number from 0, and once)";
        assertThat(psf(Map.of("PSF_DEVICE", "0"), "server", "--scheduler", "h:1", "--device", "gpu"))
                .isEqualTo("2: psf: PSF_DEVICE: gpu in the options" + expected);
        assertThat(psf(Map.of("PSF_DEVICE", "0"), "launch", "--device", "gpu", "--", "true"))
                .startsWith("1: ")
                .contains("PSF_DEVICE: gpu in the environment" + expected);
    }

    @Test
    void aSchedulerWhosePortIsTakenSaysSoInOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(psf(
                            Map.of(),
                            "scheduler",
                            "--scheduler",
                            "127.0.0.1:" + taken.getLocalPort(),
                            "--servers",
                            "1",
                            "--workers",
                            "1"))
                    .startsWith("1: psf: UNAVAILABLE: ")
                    .contains("127.0.0.1:" + taken.getLocalPort())
                    .doesNotContain("\n");
        }
    }

    @Test
    void launchPassesOnTheExitCodeAndPrefixesLines() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("launch", "--workers", "2", "--"));
        arguments.addAll(List.of(NodeJvm.java(), "-cp", System.getProperty("java.class.path")));
        arguments.addAll(List.of(Child.class.getName(), "exit-if-rank", "1", "7"));

        assertThat(psf(Map.of(), arguments.toArray(String[]::new)))
                .startsWith("7: ")
                .contains("[scheduler] ", "[psf] worker 1 ended with exit code 7");
    }

    /** So that psf status and psf stop find the cluster by the same setting. */
    @Test
    void theSchedulerOfALaunchedClusterListensWhereItIsTold() throws Exception {
        String address;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + free.getLocalPort();
        }
        List<String> program = List.of(
                "--", NodeJvm.java(), "-cp", System.getProperty("java.class.path"), Child.class.getName(), "connect");
        for (List<String> option : List.of(List.of("launch"), List.of("launch", "--scheduler", address))) {
            List<String> arguments = new ArrayList<>(option);
            arguments.addAll(List.of("--servers", "1", "--workers", "1"));
            arguments.addAll(program);
            String setting = option.size() == 1 ? address : "127.0.0.1:1";
            assertThat(psf(Map.of("PSF_SCHEDULER", setting), arguments.toArray(String[]::new)))
                    .startsWith("0: ")
                    .contains("scheduler listening on " + address);
        }
    }

    @Test
    void launchOfAProgramThatConnectsToNothingHasFailed() throws Exception {
        assertThat(psf(Map.of(), "launch", "--", "true"))
                .startsWith("1: ")
                .contains(
                        "[psf] worker 0 ended with exit code 0 before the cluster was ready, so the cluster cannot form"
                                + " (expected: a program that connects as a worker)");
    }

    @Test
    void launchWantsAClassPathThatIsThere() throws Exception {
        assertThat(psf(Map.of(), "launch", "--classpath", "no.jar", "--", "true"))
                .isEqualTo("2: psf: --classpath: no.jar: no such file (expected: jars and folders)");
    }

    @Test
    void helpNamesTheCommands() throws Exception {
        assertThat(psf(Map.of(), "--help")).startsWith("0: ").contains("node", "scheduler", "server", "launch");
    }

    @Test
    void noLineOfHelpIsWiderThanATerminal() {
        assertThat(tooWide(Main.commandLine())).isEmpty();
    }

    private static List<String> tooWide(CommandLine command) {
        List<String> lines = new ArrayList<>(command.getUsageMessage()
                .lines()
                .filter(line -> line.length() > Table.TERMINAL)
                .toList());
        command.getSubcommands().values().forEach(each -> lines.addAll(tooWide(each)));
        return lines;
    }

    @Test
    void theClassPathIsThatOfTheProgram() {
        assertThat(Cli.run("classpath").out()).isEqualTo(System.getProperty("java.class.path") + "\n");
    }

    @Test
    void withoutACommandItListsThem() throws Exception {
        assertThat(psf(Map.of())).isEqualTo(psf(Map.of(), "--help"));
    }

    @Test
    void launchWantsJarsAndFoldersOnTheClassPath(@TempDir Path folder) throws Exception {
        Path text = Files.writeString(folder.resolve("README.md"), "# A title");
        Path named = Files.writeString(folder.resolve("named.jar"), "# A title");
        for (Path file : List.of(text, named)) {
            assertThat(psf(Map.of(), "launch", "--classpath", file.toString(), "--", "true"))
                    .isEqualTo("2: psf: --classpath: " + file + ": not a jar (expected: jars and folders)");
        }
        assertThat(psf(Map.of(), "functions", "--classpath", text + "/*"))
                .isEqualTo("2: psf: --classpath: " + text + "/*: not a folder (expected: jars and folders)");
    }

    @Test
    void aJvmOfPsfSaysNothingOfItsFlags() throws Exception {
        assertThat(psf(Map.of(), "--version")).startsWith("0: psf ").doesNotContain("\n");
    }

    /** jlink's images and some runtimes of distributions have no jdk.jshell. */
    @Tag("long")
    @Test
    void aRuntimeWithoutJshellHasTheOtherCommands() throws Exception {
        List<String> flags = List.of("--limit-modules", "java.se,jdk.unsupported,jdk.management");
        assertThat(psf(Map.of(), flags, "status", "--interval", "0"))
                .startsWith("2: psf: --interval: 0.0 (expected: above 0");
        assertThat(psf(Map.of(), flags, "shell", "--servers", "1"))
                .startsWith("2: ")
                .contains("psf: java: ")
                .contains("has no jshell (expected: a JDK, with the module jdk.jshell)");
    }

    private static String psf(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        return psf(environment, List.of(), arguments);
    }

    /** Runs the program in a JVM as the script does; gives its exit code and all that it said. */
    private static String psf(Map<String, String> environment, List<String> flags, String... arguments)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(NodeJvm.command(System.getProperty("java.class.path"), flags, arguments));
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + ": " + said.strip();
    }
}

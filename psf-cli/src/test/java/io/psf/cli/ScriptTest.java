package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the script {@code psf} in a checkout of its own, with a Maven and a Java that write down their arguments. */
@Timeout(120)
class ScriptTest {
    private static final String MAVEN = """
            #!/usr/bin/env bash
            echo "mvn $*" >>"$CALLS"
            if [ -n "${MISSING:-}" ] && [[ " $* " = *" -o "* ]]; then
              echo '[ERROR] Cannot access central (https://repo.maven.apache.org/maven2) in offline mode'
              exit 1
            fi
            mkdir -p psf-api/target/generated-sources/arrays/io/psf/api/array
            touch psf-api/target/generated-sources/arrays/io/psf/api/array
            echo '[INFO] Reactor Summary:'
            echo '[INFO] Building psf-api 0.1.0-SNAPSHOT                    [1/2]'
            if [ -n "${BLOCK:-}" ]; then read -r word <"$BLOCK"; fi
            echo '[INFO] Building psf-cli 0.1.0-SNAPSHOT                    [2/2]'
            if [ -n "${NO_NETWORK:-}" ]; then
              echo '[ERROR] Plugin a:b:1 could not be resolved: Could not transfer artifact a:b:pom:1 from/to central'
              echo '[ERROR] Plugin a:b:1 could not be resolved: Could not transfer artifact a:b:pom:1 from/to central: Unknown host -> [Help 1]'
              exit 1
            fi
            [[ "$*" != *clean-plugin:help* ]] || echo '[INFO] Building psf 0.1.0-SNAPSHOT                    [3/2]'
            if [ -n "${BROKEN:-}" ]; then echo '[ERROR] no such symbol'; exit 1; fi
            for module in psf-cli examples tests/benchmarks tests/simulation; do
              mkdir -p $module/target/lib
              name=${module##*/}
              touch $module/target/psf-${name#psf-}.jar
            done
            for artifact in psf-api psf-processor psf-testkit; do
              mkdir -p $artifact/target
              cat $artifact/src/main/* >$artifact/target/$artifact-0.1.0-SNAPSHOT.jar 2>/dev/null
            done
            cp psf-api/target/*.jar psf-cli/target/lib
            touch {psf-cli,examples,tests/{benchmarks,simulation}}/target/lib
            [[ "$*" = *install* ]] || exit 0
            repository=$(sed -n 's/.*-Dmaven.repo.local=//p' <<<"${MAVEN_OPTS:-}")
            repository=${repository:-$HOME/.m2/repository}/io/psf
            for artifact in psf-parent psf-api psf-processor psf-testkit; do
              mkdir -p $repository/$artifact/0.1.0-SNAPSHOT
              cp $artifact/target/*.jar $repository/$artifact/0.1.0-SNAPSHOT 2>/dev/null
            done
            cp pom.xml $repository/psf-parent/0.1.0-SNAPSHOT/psf-parent-0.1.0-SNAPSHOT.pom
            """;

    private static final String JAVA = """
            #!/usr/bin/env bash
            case "$*" in
              *--list-modules*) echo jdk.compiler@17; echo "${MODULE:-}" ;;
              *-XX:Wrong*) echo 'Unrecognized VM option Wrong'; exit 1 ;;
              *-version*) echo "openjdk version \\"${RELEASE:-17}.0.1\\"" >&2 ;;
              *) echo "java $*" >>"$CALLS" ;;
            esac
            """;

    private static final String VECTORS = " --add-modules=jdk.incubator.vector ";

    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path checkout;

    @BeforeEach
    void aCheckout() throws IOException {
        Files.copy(Path.of("../psf"), checkout.resolve("psf"));
        program("bin/mvn", MAVEN);
        program("jdk/bin/java", JAVA);
        Files.copy(Path.of("../pom.xml"), checkout.resolve("pom.xml"));
        Files.createDirectories(checkout.resolve("psf-cli/src/main/bin"));
        Files.copy(Path.of("src/main/bin/psf"), checkout.resolve("psf-cli/src/main/bin/psf"));
        Files.copy(Path.of("src/main/usage.txt"), checkout.resolve("psf-cli/src/main/usage.txt"));
        source("class Api {}");
    }

    @AfterEach
    void endAll() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    private void program(String name, String text) throws IOException {
        Path file = checkout.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Writes a source of the module at the bottom. */
    private void source(String text) throws IOException {
        Path file = checkout.resolve("psf-api/src/main/Api.java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Process start(Map<String, String> environment, Path log, String... arguments) throws IOException {
        return start(List.of(), environment, log, arguments);
    }

    private Process start(List<String> launcher, Map<String, String> environment, Path log, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of("bash", checkout.resolve("psf").toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return startCommand(command, environment, log);
    }

    private Process startCommand(List<String> command, Map<String, String> environment, Path log) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.directory(checkout.toFile());
        builder.environment().put("HOME", checkout.resolve("home").toString());
        builder.environment().put("CALLS", checkout.resolve("calls").toString());
        builder.environment().put("JAVA_HOME", checkout.resolve("jdk").toString());
        builder.environment().put("PATH", checkout.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().keySet().removeAll(List.of("PSF_JAVA_OPTS", "PSF_VECTORS", "MAVEN_OPTS", "MAVEN_ARGS"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    /** Runs the script; returns its exit code and its lines. */
    private String psf(Map<String, String> environment, String... arguments) throws Exception {
        Path log = checkout.resolve("said");
        Process process = start(environment, log, arguments);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + ": " + Files.readString(log).strip();
    }

    /** Runs Maven, as a developer does. */
    private void maven(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(checkout.resolve("bin/mvn").toString()));
        command.addAll(List.of(arguments));
        Process maven = startCommand(command, Map.of("CALLS", "/dev/null"), checkout.resolve("said"));
        assertThat(maven.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private List<String> calls() throws IOException {
        Path calls = checkout.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    private String classPathOf(String command) throws Exception {
        psf(Map.of(), command, "--option");
        String call = calls().get(calls().size() - 1);
        return call.replaceAll(".* -cp (\\S+) io.psf.cli.Main " + command + " --option", "$1")
                .replace(checkout.toRealPath() + "/", "");
    }

    /** The examples' handlers have names that users take, such as acme.axpy. */
    @Test
    void aUsersClusterIsWithoutTheExamples() throws Exception {
        for (String command :
                List.of("node", "server", "scheduler", "launch", "functions", "shell", "status", "new", "stubs")) {
            assertThat(classPathOf(command)).as(command).isEqualTo("psf-cli/target/psf-cli.jar:psf-cli/target/lib/*");
        }
        assertThat(classPathOf("demo")).isEqualTo("examples/target/psf-examples.jar:examples/target/lib/*");
        assertThat(classPathOf("bench"))
                .isEqualTo("tests/benchmarks/target/psf-benchmarks.jar:tests/benchmarks/target/lib/*");
    }

    @Test
    void stubsAreWrittenByThePackageForPythonOfTheCheckout() throws Exception {
        psf(Map.of(), "stubs", "--python", "typed");
        assertThat(calls().get(calls().size() - 1))
                .contains(" -Dpsf.python=" + checkout.toRealPath().resolve("python") + " ");
    }

    @Test
    void aBuildSaysWhichModuleItBuildsAndRunsOnce() throws Exception {
        assertThat(psf(Map.of(), "node"))
                .isEqualTo("0: psf: building (first time takes a minute or two)\n"
                        + "psf: building psf-api (1 of 2) ...\npsf: building psf-cli (2 of 2) ...");
        assertThat(psf(Map.of(), "node")).isEqualTo("0: ");
        assertThat(calls()).filteredOn(call -> call.startsWith("mvn")).hasSize(1);
    }

    @Test
    void whatPsfSaysOfItselfNeedsNoBuild() throws Exception {
        String usage = "0: " + Cli.run("--help").out().strip();
        assertThat(psf(Map.of())).isEqualTo(usage);
        assertThat(psf(Map.of(), "--help")).isEqualTo(usage);
        assertThat(psf(Map.of(), "-h")).isEqualTo(usage);
        assertThat(psf(Map.of(), "--version")).matches("0: psf \\d+\\.\\d+\\.\\d+\\S*");
        assertThat(psf(Map.of(), "-V")).isEqualTo(psf(Map.of(), "--version"));
        assertThat(calls()).isEmpty();
    }

    /** {@code -Dgolden.update=true} rewrites the file that the script prints. */
    @Test
    void theUsageOfTheScriptIsThatOfTheProgram() throws Exception {
        Path usage = Path.of("src/main/usage.txt");
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(usage, Cli.run("--help").out());
        }
        assertThat(Files.readString(usage)).isEqualTo(Cli.run("--help").out());
    }

    @Test
    void aWordThatIsNoCommandNeedsNoBuild() throws Exception {
        String expected = " (expected: one of "
                + String.join(", ", Main.commandLine().getSubcommands().keySet())
                + ", convnet, demo, lenet, movielens, recommender, bench, simulate, spark-demo)";
        assertThat(psf(Map.of(), "train")).isEqualTo("2: psf: train: not a command" + expected);
        for (String near : List.of("dem", "demos", "dmeo", "deno", "emo", "Demo")) {
            assertThat(psf(Map.of(), near))
                    .isEqualTo("2: psf: " + near + ": not a command" + expected + ". Did you mean demo?");
        }
        assertThat(psf(Map.of(), "*")).isEqualTo("2: psf: *: not a command" + expected);
        assertThat(calls()).isEmpty();
    }

    @Test
    void aNameThatNoProjectHasNeedsNoBuild() throws Exception {
        for (String name : List.of("1bad", "a--b", "a-", "a_b", "a b", "\u00e9t\u00e9", "", "a".repeat(81))) {
            String refused = "2: " + Cli.run("new", name).err();
            assertThat(psf(Map.of(), "new", name)).isEqualTo(refused);
            assertThat(psf(Map.of(), "new", "function", name, "--package", "acme"))
                    .isEqualTo(refused);
        }
        assertThat(calls()).isEmpty();
        for (String name : List.of("a", "rowNorms", "row-norms-2", "a".repeat(80))) {
            assertThat(psf(Map.of(), "new", name)).startsWith("0: ");
        }
    }

    @Test
    void whatMavenHasBuiltIsNotBuiltAgain() throws Exception {
        maven("install");
        for (String[] arguments :
                List.of(new String[] {"demo"}, new String[] {"status"}, new String[] {"new", "clicks"})) {
            assertThat(psf(Map.of(), arguments)).isEqualTo("0: ");
        }
        source("class Api { int edited; }");
        assertThat(psf(Map.of(), "demo")).startsWith("0: psf: building (");
        assertThat(psf(Map.of(), "demo")).isEqualTo("0: ");
    }

    @Test
    void aSourceThatMovesIsBuiltAgain() throws Exception {
        psf(Map.of(), "node");
        Path source = checkout.resolve("psf-api/src/main/Api.java");
        Files.move(source, source.resolveSibling("Moved.java"));
        assertThat(psf(Map.of(), "node")).startsWith("0: psf: building (");
        assertThat(psf(Map.of(), "node")).isEqualTo("0: ");
    }

    /** Maven packages the last module long after it has compiled the first one, if it runs the tests. */
    @Test
    void aSourceThatIsEditedWhileMavenRunsIsBuiltAgain() throws Exception {
        Path gate = gate();
        Process psf = start(Map.of("BLOCK", gate.toString()), checkout.resolve("first"), "node");
        await("first", "psf-api (1 of 2)");
        source("class Api { int edited; }");
        open(gate);
        assertThat(psf.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(psf(Map.of(), "node")).startsWith("0: psf: building (");
        assertThat(psf(Map.of(), "node")).isEqualTo("0: ");

        Path last = checkout.resolve("psf-cli/target/lib");
        source("class Api { int edited, again; }");
        Files.setLastModifiedTime(last, FileTime.from(Instant.now().plusSeconds(60)));
        assertThat(psf(Map.of(), "node")).startsWith("0: psf: building (");
    }

    @Test
    void theNetworkIsAskedForWhatIsMissingOnly() throws Exception {
        assertThat(psf(Map.of("MISSING", "yes"), "node")).startsWith("0: ").endsWith("psf-cli (2 of 2) ...");
        assertThat(calls()).filteredOn(call -> call.startsWith("mvn")).hasSize(2);
        source("class Api { int edited; }");
        psf(Map.of(), "node");
        source("class Api { int edited, again; }");
        psf(Map.of("BROKEN", "yes"), "node");
        assertThat(calls())
                .filteredOn(call -> call.startsWith("mvn"))
                .hasSize(4)
                .filteredOn(call -> !call.contains(" -o "))
                .hasSize(1);
    }

    /** The modules in profiles are below no command. */
    @Test
    void aSourceOfAModuleInAProfileIsNotBuiltAgain() throws Exception {
        psf(Map.of(), "demo");
        for (String module : List.of("examples/djl", "examples/flink")) {
            Files.createDirectories(checkout.resolve(module).resolve("src/main"));
            Files.writeString(checkout.resolve(module).resolve("src/main/New.java"), "class New {}");
            Files.writeString(checkout.resolve(module).resolve("pom.xml"), "<project/>");
        }
        assertThat(psf(Map.of(), "demo")).isEqualTo("0: ");
        Files.createDirectories(checkout.resolve("examples/src/main"));
        Files.writeString(checkout.resolve("examples/src/main/New.java"), "class New {}");
        assertThat(psf(Map.of(), "demo")).startsWith("0: psf: building (");
    }

    @Test
    void aBuildThatFailsShowsWhatMavenSaid() throws Exception {
        assertThat(psf(Map.of("BROKEN", "yes"), "node"))
                .startsWith("1: ")
                .contains(
                        "[ERROR] no such symbol\npsf: the build failed (the lines above say why; all of Maven's are in ")
                .doesNotContain("Reactor");
    }

    @Test
    void aBuildWithoutANetworkSaysSoOnce() throws Exception {
        assertThat(psf(Map.of("NO_NETWORK", "yes"), "node"))
                .startsWith("1: ")
                .containsOnlyOnce("Could not transfer artifact")
                .contains(
                        "psf: the build needs the network once, and did not reach it: Could not transfer artifact a:b:pom:1"
                                + " from/to central: Unknown host (expected: a network; or a mirror or proxy in Maven's"
                                + " settings.xml; all of Maven's lines are in ");
    }

    /** Maven counts the goal that needs no project as one more module. */
    @Test
    void aBuildOfAProjectCountsItsModules() throws Exception {
        assertThat(psf(Map.of(), "new", "clicks"))
                .contains("building psf-api (1 of 2)", "building psf-cli (2 of 2)")
                .doesNotContain("(3 of 2)");
    }

    /** An archive does not have these commands. */
    @Test
    void theProgramKnowsWhatACheckoutRunsBeside() throws Exception {
        String all = psf(Map.of(), "train").replaceAll(".*one of ([^)]*)\\).*", "$1");
        Set<String> beside = new LinkedHashSet<>(List.of(all.split(", ", -1)));
        beside.removeAll(Main.commandLine().getSubcommands().keySet());
        assertThat(beside).contains("demo", "bench", "simulate");
        for (String command : beside) {
            Cli.Said said = Cli.run(command, "--epochs", "1");
            assertThat(said.exit()).isEqualTo(2);
            assertThat(said.err())
                    .isEqualTo("psf: %1$s: only in a checkout of psf (expected: ./psf %1$s there; see psf --help)"
                            .formatted(command));
        }
    }

    @Test
    void aSecondPsfSaysWhatItWaitsFor() throws Exception {
        Path gate = gate();
        Process first = start(Map.of("BLOCK", gate.toString()), checkout.resolve("first"), "node");
        await("first", "psf-api (1 of 2)");
        Process second = start(Map.of(), checkout.resolve("second"), "node");
        await("second", "psf: another psf is building; waiting for it ...\npsf: building psf-api (1 of 2) ...");
        open(gate);
        assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(calls()).filteredOn(call -> call.startsWith("mvn")).hasSize(1);
        assertThat(calls()).filteredOn(call -> call.startsWith("java")).hasSize(2);
    }

    @Test
    void anInterruptedBuildSaysThatItWas() throws Exception {
        Path gate = gate();
        Process psf = start(Map.of("BLOCK", gate.toString()), checkout.resolve("first"), "node");
        await("first", "psf-api (1 of 2)");
        new ProcessBuilder("bash", "-c", "kill -TERM " + psf.pid()).start().waitFor();
        open(gate);
        assertThat(psf.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(psf.exitValue()).isEqualTo(1);
        assertThat(Files.readString(checkout.resolve("first")))
                .endsWith("psf: the build was interrupted (the next ./psf goes on with it)\n")
                .doesNotContain("above");
        assertThat(calls()).noneMatch(call -> call.startsWith("java"));
    }

    /** Ctrl-C of a terminal is a signal to the script, to Maven and to all between them. */
    @Test
    void ctrlCInABuildSaysThatItWasInterruptedAndTheNextPsfBuilds() throws Exception {
        List<String> inAGroup = List.of("env", "--default-signal=INT", "setsid");
        Process probe = new ProcessBuilder("env", "--default-signal=INT", "setsid", "true").start();
        assumeTrue(probe.waitFor() == 0, "not run, since env or setsid is another one");
        Path gate = gate();
        Process psf = start(inAGroup, Map.of("BLOCK", gate.toString()), checkout.resolve("first"), "node");
        await("first", "psf-api (1 of 2)");
        new ProcessBuilder("bash", "-c", "kill -INT -" + psf.pid()).start().waitFor();
        assertThat(psf.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(psf.exitValue()).isEqualTo(1);
        assertThat(Files.readString(checkout.resolve("first"))).endsWith("""
                        psf: building psf-api (1 of 2) ...

                        psf: the build was interrupted (the next ./psf goes on with it)
                        """);
        assertThat(calls()).noneMatch(call -> call.startsWith("java"));
        assertThat(psf(Map.of(), "node")).startsWith("0: psf: building (").endsWith("psf-cli (2 of 2) ...");
    }

    @Test
    void aFlagThatTheJvmRefusesNamesItsVariable() throws Exception {
        psf(Map.of(), "node");
        assertThat(psf(Map.of("PSF_JAVA_OPTS", "-Xmx1g -XX:Wrong"), "node"))
                .startsWith("1: psf: PSF_JAVA_OPTS: -Xmx1g -XX:Wrong: refused by ")
                .endsWith("/bin/java (expected: flags of a JVM): Unrecognized VM option Wrong");
        assertThat(psf(Map.of("PSF_JAVA_OPTS", "-Xmx1g"), "node")).isEqualTo("0: ");
        assertThat(calls().get(calls().size() - 1)).contains(" -Xmx1g ");
    }

    @Test
    void serversHaveTheModuleOfTheVectorsWhereVectorsAccessMemoryOffTheHeap() throws Exception {
        Map<String, String> jdk25 = Map.of("RELEASE", "25", "MODULE", "jdk.incubator.vector@25");
        assertThat(lastCall(jdk25, "server")).contains(VECTORS);
        assertThat(lastCall(jdk25, "node", "--role", "server")).contains(VECTORS);
        assertThat(lastCall(jdk25, "node")).contains(VECTORS);
        for (String[] other : List.of(
                new String[] {"scheduler"},
                new String[] {"node", "--role", "scheduler"},
                new String[] {"node", "--role=scheduler"},
                new String[] {"launch"},
                new String[] {"status"})) {
            assertThat(lastCall(jdk25, other)).doesNotContain("add-modules");
        }
        assertThat(lastCall(Map.of("RELEASE", "25"), "server")).doesNotContain("add-modules");
        assertThat(lastCall(Map.of("MODULE", "jdk.incubator.vector@17"), "server"))
                .contains(VECTORS);
        assertThat(lastCall(Map.of("RELEASE", "21", "MODULE", "jdk.incubator.vector@21"), "server"))
                .doesNotContain("add-modules");
    }

    @Test
    void theVariableEnablesAndDisablesTheVectorsOfServers() throws Exception {
        String module = "jdk.incubator.vector@25";
        assertThat(lastCall(Map.of("RELEASE", "25", "MODULE", module, "PSF_VECTORS", "off"), "server"))
                .doesNotContain("add-modules");
        assertThat(lastCall(Map.of("MODULE", module, "PSF_VECTORS", "on"), "server"))
                .contains(VECTORS);
        assertThat(lastCall(Map.of("PSF_VECTORS", "on"), "server")).doesNotContain("add-modules");
        assertThat(psf(Map.of("PSF_VECTORS", "yes"), "server"))
                .isEqualTo("1: psf: PSF_VECTORS: yes (expected: on or off)");
    }

    @Test
    void theSimulationNeedsJdk25AndHasItsAgent() throws Exception {
        assertThat(psf(Map.of(), "simulate", "--seed", "1"))
                .endsWith("/bin/java: version 17 (expected: 25 or newer for psf simulate; JAVA_HOME may name another)")
                .startsWith("1: psf: ");
        assertThat(calls()).isEmpty();
        assertThat(lastCall(Map.of("RELEASE", "25"), "simulate", "--seed", "1"))
                .contains(" -javaagent:" + checkout.toRealPath() + "/tests/simulation/target/psf-simulation-agent.jar ")
                .endsWith(" io.psf.cli.Main simulate --seed 1");
    }

    private String lastCall(Map<String, String> environment, String... arguments) throws Exception {
        assertThat(psf(environment, arguments)).startsWith("0: ");
        return calls().get(calls().size() - 1);
    }

    @Test
    void aNewProjectFindsPsfInTheLocalRepository() throws Exception {
        List<String> function = List.of("new", "function", "row-norms", "--package", "acme");
        String[] newFunction = function.toArray(String[]::new);
        psf(Map.of(), newFunction);
        psf(Map.of(), newFunction);
        assertThat(installs()).isEqualTo(1);
        psf(Map.of("MAVEN_OPTS", "-Xmx1g -Dmaven.repo.local=elsewhere"), newFunction);
        psf(Map.of("MAVEN_OPTS", "-Xmx1g -Dmaven.repo.local=elsewhere"), newFunction);
        assertThat(installs()).isEqualTo(2);
        Path moved = checkout.resolve("home/repository");
        Files.move(checkout.resolve("home/.m2/repository"), moved);
        Files.writeString(checkout.resolve("home/.m2/settings.xml"), """
                <settings>
                  <!-- <localRepository>/path/to/local/repo</localRepository>
                  <localRepository>/path/to/local/repo</localRepository> -->
                  <localRepository>${user.home}/repository</localRepository>
                </settings>
                """);
        psf(Map.of(), newFunction);
        assertThat(installs()).isEqualTo(2);
        Files.writeString(moved.resolve("io/psf/psf-api/0.1.0-SNAPSHOT/psf-api-0.1.0-SNAPSHOT.jar"), "another one");
        psf(Map.of(), newFunction);
        assertThat(installs()).isEqualTo(3);
    }

    /** One build packages and installs; a build that only installs follows the one of a plain command. */
    @Test
    void aNewProjectIsOneBuild() throws Exception {
        assertThat(psf(Map.of(), "new", "clicks"))
                .startsWith("0: psf: building and installing in the local Maven repository");
        assertThat(psf(Map.of(), "new", "clicks")).isEqualTo("0: ");
        assertThat(psf(Map.of(), "status")).isEqualTo("0: ");
        assertThat(calls()).filteredOn(call -> call.startsWith("mvn")).hasSize(1);
        assertThat(installs()).isEqualTo(1);
    }

    /** By it the program knows that psf is installed, and how a README names the script. */
    @Test
    void aNewProjectIsToldTheCheckout() throws Exception {
        psf(Map.of(), "new", "clicks");
        assertThat(calls().get(calls().size() - 1)).contains(" -Dpsf.checkout=" + checkout.toRealPath() + " ");
        for (String[] other :
                List.of(new String[] {"status"}, new String[] {"new"}, new String[] {"new", "--help"}, new String[] {
                    "new", "function", "-h"
                })) {
            psf(Map.of(), other);
            assertThat(calls().get(calls().size() - 1)).doesNotContain("psf.checkout");
        }
        assertThat(installs()).isEqualTo(1);
    }

    private long installs() throws IOException {
        return calls().stream()
                .filter(call -> call.contains("-pl psf-cli -am") && call.contains("-install-plugin:install "))
                .count();
    }

    private Path gate() throws Exception {
        Path gate = checkout.resolve("gate");
        assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor())
                .isZero();
        return gate;
    }

    /** Lets the Maven that reads the gate go on. */
    private static void open(Path gate) throws IOException {
        // Opening blocks until Maven has opened the other end.
        Files.writeString(gate, "go\n", StandardOpenOption.WRITE);
    }

    private void await(String log, String text) {
        Awaitility.await()
                .atMost(60, TimeUnit.SECONDS)
                .until(() -> Files.readString(checkout.resolve(log)).contains(text));
    }
}

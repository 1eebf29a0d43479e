package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.FolderStore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    @TempDir
    Path directory;

    /** Changes here are changes of what users write: add, and say so in the change log. */
    @Test
    void theKeysAreTheseAndNoOthers() {
        assertThat(SettingsKey.ALL)
                .extracting(key -> String.join(
                        " | ",
                        key.spellings().stream().map(SettingsSpelling::toString).toList()))
                .containsExactly(
                        "PSF_ROLE | DMLC_ROLE | MS_ROLE",
                        "PSF_SCHEDULER | DMLC_PS_ROOT_URI with DMLC_PS_ROOT_PORT | MS_SCHED_HOST with MS_SCHED_PORT",
                        "PSF_SERVERS | DMLC_NUM_SERVER | MS_SERVER_NUM",
                        "PSF_WORKERS | DMLC_NUM_WORKER | MS_WORKER_NUM",
                        "PSF_LIFETIME",
                        "PSF_LISTEN | DMLC_PS_SERVER_URI with DMLC_PS_SERVER_PORT"
                                + " | DMLC_PS_WORKER_URI with DMLC_PS_WORKER_PORT",
                        "PSF_ADVERTISE",
                        "PSF_RANK | SERVER_ID | WORKER_ID",
                        "PSF_CLUSTER",
                        "PSF_NODE",
                        "PSF_SECRET",
                        "PSF_PERMISSIONS",
                        "PSF_INSECURE",
                        "PSF_TLS_CERTIFICATE",
                        "PSF_TLS_KEY",
                        "PSF_TLS_AUTHORITY",
                        "PSF_MAPPED",
                        "PSF_CHECKPOINTS",
                        "PSF_LANES",
                        "PSF_MEMORY",
                        "PSF_TENSOR_MEMORY",
                        "PSF_DEVICE",
                        "PSF_TRANSPORT",
                        "PSF_SPIN_MICROS",
                        "PSF_CHECKSUM",
                        "PSF_DEADLINE",
                        "PSF_JOIN_TIMEOUT",
                        "PSF_HEARTBEAT_LIMIT",
                        "PSF_RECONNECT_LIMIT",
                        "PSF_SERVER_RETURN",
                        "PSF_WORKER_RETURN",
                        "PSF_SCHEDULER_RETURN",
                        "PSF_JOURNAL",
                        "PSF_HEALTH",
                        "PSF_METRICS",
                        "PSF_DASHBOARD",
                        "PSF_PROGRESS_LIMIT",
                        "PSF_DRAIN",
                        "PSF_LEAVE_AT_EXIT");
    }

    @ParameterizedTest
    @CsvSource({"on,true", "True,true", "off,false", "FALSE,false"})
    void aSwitchMayBeWrittenInTwoWays(String text, boolean isOn) {
        Settings settings = Settings.of(Map.of(
                "PSF_SCHEDULER", "h:9000", "PSF_CHECKSUM", text, "PSF_LEAVE_AT_EXIT", text, "PSF_INSECURE", text));
        assertThat(settings.worker().transport().checksum()).isEqualTo(isOn);
        assertThat(settings.worker().leaveAtExit()).isEqualTo(isOn);
        assertThat(settings.worker().join().security().insecure()).isEqualTo(isOn);
    }

    @Test
    void theDefaultsAreThese() {
        Map<String, String> least = Map.of("PSF_SCHEDULER", "h:9000", "PSF_SERVERS", "2", "PSF_WORKERS", "3");

        assertThat(Settings.of(least).scheduler())
                .isEqualTo(new SchedulerConfig(
                        "h",
                        9000,
                        new SchedulerConfig.Size(2, 3, false),
                        SchedulerConfig.Life.JOB,
                        new SchedulerConfig.Timeouts(Duration.ofMinutes(2), Duration.ofSeconds(10)),
                        Security.NONE));
        assertThat(Settings.of(least).server())
                .isEqualTo(new ServerConfig(
                        new JoinConfig("h", 9000, -1, "", Duration.ofMinutes(2), Security.NONE),
                        new ServerConfig.Address("127.0.0.1", 0),
                        null,
                        Runtime.getRuntime().availableProcessors(),
                        new ServerConfig.Storage(null, null, Defaults.memory(), 0, List.of()),
                        TransportConfig.usual()));
        assertThat(Settings.of(least).worker())
                .isEqualTo(new WorkerConfig(
                        new JoinConfig("h", 9000, -1, "", Duration.ofMinutes(2), Security.NONE),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(30),
                        false,
                        TransportConfig.usual()));
        assertThat(Settings.of(least).health()).isNull();
        assertThat(Settings.of(least).dashboard()).isNull();
        assertThat(Settings.of(least).progressLimit()).isEqualTo(Duration.ofMinutes(1));
        assertThat(Settings.of(least).drain()).isEqualTo(Duration.ofSeconds(30));
        assertThat(Settings.of(least).isService()).isFalse();
    }

    @Test
    void eachKeyIsReadByTheRoleThatHasIt() {
        Map<String, String> all = Map.ofEntries(
                Map.entry("PSF_SCHEDULER", "[::1]:9000"),
                Map.entry("PSF_SERVERS", "2"),
                Map.entry("PSF_WORKERS", "3"),
                Map.entry("PSF_LISTEN", "10.0.0.7:4000"),
                Map.entry("PSF_ADVERTISE", "server-1.psf"),
                Map.entry("PSF_LIFETIME", "service"),
                Map.entry("PSF_HEALTH", "[::]:4090"),
                Map.entry("PSF_METRICS", "9100"),
                Map.entry("PSF_DASHBOARD", "8080"),
                Map.entry("PSF_PROGRESS_LIMIT", "3m"),
                Map.entry("PSF_DRAIN", "10s"),
                Map.entry("PSF_LEAVE_AT_EXIT", "on"),
                Map.entry("PSF_RANK", "1"),
                Map.entry("PSF_SECRET", "sixteen letters and more"),
                Map.entry("PSF_INSECURE", "true"),
                Map.entry("PSF_PERMISSIONS", "/etc/psf/permissions.yaml"),
                Map.entry("PSF_MAPPED", "/data/psf"),
                Map.entry("PSF_CHECKPOINTS", "/shared/psf"),
                Map.entry("PSF_LANES", "5"),
                Map.entry("PSF_MEMORY", "3m"),
                Map.entry("PSF_TENSOR_MEMORY", "5g"),
                Map.entry("PSF_DEVICE", "0, 1"),
                Map.entry("PSF_TRANSPORT", "tcp"),
                Map.entry("PSF_SPIN_MICROS", "7"),
                Map.entry("PSF_CHECKSUM", "on"),
                Map.entry("PSF_DEADLINE", "1h"),
                Map.entry("PSF_JOIN_TIMEOUT", "30s"),
                Map.entry("PSF_HEARTBEAT_LIMIT", "500ms"),
                Map.entry("PSF_SERVER_RETURN", "5m"),
                Map.entry("PSF_WORKER_RETURN", "3m"),
                Map.entry("PSF_CLUSTER", "clicks"),
                Map.entry("PSF_NODE", "pod-7"),
                Map.entry("PSF_SCHEDULER_RETURN", "7m"),
                Map.entry("PSF_JOURNAL", "/var/psf/journal"),
                Map.entry("PSF_RECONNECT_LIMIT", "20s"));

        assertThat(Settings.of(all).scheduler())
                .isEqualTo(new SchedulerConfig(
                        "::1",
                        9000,
                        new SchedulerConfig.Size(2, 3, false),
                        new SchedulerConfig.Life(
                                true,
                                Duration.ofMinutes(5),
                                Duration.ofMinutes(3),
                                Duration.ofMinutes(7),
                                Path.of("/var/psf/journal")),
                        new SchedulerConfig.Timeouts(Duration.ofSeconds(30), Duration.ofMillis(500)),
                        new Security("sixteen letters and more")
                                .withPermissions(Path.of("/etc/psf/permissions.yaml"))
                                .asInsecure()
                                .withCluster("clicks")));
        assertThat(Settings.of(all).server())
                .isEqualTo(new ServerConfig(
                        new JoinConfig(
                                "::1",
                                9000,
                                1,
                                "pod-7",
                                Duration.ofSeconds(30),
                                new Security("sixteen letters and more")
                                        .asInsecure()
                                        .withCluster("clicks")),
                        new ServerConfig.Address("10.0.0.7", 4000),
                        new ServerConfig.Address("server-1.psf", 0),
                        5,
                        new ServerConfig.Storage(
                                Path.of("/data/psf"),
                                new FolderStore(Path.of("/shared/psf")),
                                3 << 20,
                                5L << 30,
                                List.of(0, 1)),
                        new TransportConfig(TransportConfig.Kind.TCP, Duration.ofNanos(7000), true)));
        assertThat(Settings.of(all).worker())
                .isEqualTo(new WorkerConfig(
                        new JoinConfig(
                                "::1",
                                9000,
                                1,
                                "pod-7",
                                Duration.ofSeconds(30),
                                new Security("sixteen letters and more")
                                        .asInsecure()
                                        .withCluster("clicks")),
                        Duration.ofHours(1),
                        Duration.ofSeconds(20),
                        true,
                        new TransportConfig(TransportConfig.Kind.TCP, Duration.ofNanos(7000), true)));
        assertThat(Settings.of(all).health()).isEqualTo(InetSocketAddress.createUnresolved("::", 4090));
        assertThat(Settings.of(all).dashboard()).isEqualTo(InetSocketAddress.createUnresolved("127.0.0.1", 8080));
        assertThat(Settings.of(all).progressLimit()).isEqualTo(Duration.ofMinutes(3));
        assertThat(Settings.of(all).drain()).isEqualTo(Duration.ofSeconds(10));
        assertThat(Settings.of(all).isService()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "server-1.psf,server-1.psf,0",
        "server-1.psf:31080,server-1.psf,31080",
        "[fd00::7],fd00::7,0",
        "[fd00::7]:31080,fd00::7,31080"
    })
    void theAddressForTheOtherNodesHasAPortOrNone(String advertised, String host, int port) {
        Map<String, String> given =
                Map.of("PSF_SCHEDULER", "h:9000", "PSF_LISTEN", "0.0.0.0:4081", "PSF_ADVERTISE", advertised);
        ServerConfig server = Settings.of(given).server();
        assertThat(server.host()).isEqualTo("0.0.0.0");
        assertThat(server.advertised()).isEqualTo(new ServerConfig.Address(host, port));
    }

    /** The other nodes could not connect to it: they would reach themselves. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "[::]", "[0:0:0:0:0:0:0:0]", "*"})
    void aServerOnAllAddressesNeedsOneForTheOtherNodes(String host) {
        Map<String, String> given = Map.of("PSF_SCHEDULER", "h:9000", "PSF_LISTEN", host + ":4081");
        String shown = host.replace("[", "").replace("]", "");
        assertFails(() -> Settings.of(given).server())
                .hasMessage(
                        "CONFIGURATION: address of a server: " + shown + " (expected: one that workers can connect to,"
                                + " such as 127.0.0.1 or 10.0.0.7; or PSF_ADVERTISE with such a one)");
        assertFails(() -> Settings.of(Map.of("PSF_SCHEDULER", "h:9000", "PSF_ADVERTISE", host))
                        .server())
                .hasMessage("CONFIGURATION: advertised address of a server: " + shown
                        + " (expected: one that workers can connect to)");
    }

    @Test
    void aSecretIsPrintedNowhere() {
        Map<String, String> given =
                Map.of("PSF_SCHEDULER", "h:9000", "PSF_SERVERS", "1", "PSF_WORKERS", "1", "PSF_SECRET", "x".repeat(16));
        Settings settings = Settings.of(given);
        assertThat(settings.scheduler() + " " + settings.server() + " " + settings.worker())
                .doesNotContain("xx");
        assertThatThrownBy(() -> Settings.of(Map.of("PSF_SECRET", "xxx")))
                .hasMessageContaining(
                        "PSF_SECRET: 3 characters in the environment (expected: the secret of the cluster")
                .hasMessageNotContaining("xx");
    }

    @ParameterizedTest
    @CsvSource({
        "PSF_ROLE,scheduler,SCHEDULER", "PSF_ROLE,server,SERVER", "PSF_ROLE,worker,WORKER",
        "DMLC_ROLE,scheduler,SCHEDULER", "DMLC_ROLE,server,SERVER", "DMLC_ROLE,worker,WORKER",
        "MS_ROLE,MS_SCHED,SCHEDULER", "MS_ROLE,MS_PSERVER,SERVER", "MS_ROLE,MS_WORKER,WORKER"
    })
    void theRoleIsReadInEveryFamily(String name, String value, Role role) {
        assertThat(Settings.of(Map.of(name, value)).role()).isEqualTo(role);
    }

    @Test
    void aClusterIsReadFromTheNamesOfPsLite() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "DMLC_PS_ROOT_URI", "127.0.0.1",
                "DMLC_PS_ROOT_PORT", "9091",
                "DMLC_NUM_SERVER", "2",
                "DMLC_NUM_WORKER", "4",
                "DMLC_PS_VAN_TYPE", "p3",
                "DMLC_PS_SERVER_URI", "10.0.0.2",
                "SERVER_ID", "1",
                "WORKER_ID", "3"));

        assertThat(Settings.of(environment).scheduler().port()).isEqualTo(9091);
        assertThat(Settings.of(environment).scheduler().servers()).isEqualTo(2);
        assertThat(Settings.of(environment).scheduler().workers()).isEqualTo(4);
        assertThat(Settings.of(environment).server().host()).isEqualTo("10.0.0.2");
        assertThat(Settings.of(environment).server().port()).isZero();
        assertThat(Settings.of(environment).server().join().rank()).isEqualTo(1);
        assertThat(Settings.of(environment).worker().join().rank()).isEqualTo(3);
        environment.put("DMLC_PS_SERVER_PORT", "4000");
        assertThat(Settings.of(environment).server().port()).isEqualTo(4000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MS_SCHED_PORT", "MS_SCHED_POST"})
    void aClusterIsReadFromTheNamesOfMindSporeMisspelledOrNot(String port) {
        Settings settings = Settings.of(
                Map.of("MS_SCHED_HOST", "10.1.1.1", port, "8118", "MS_SERVER_NUM", "1", "MS_WORKER_NUM", "8"));

        assertThat(settings.scheduler().host()).isEqualTo("10.1.1.1");
        assertThat(settings.scheduler().port()).isEqualTo(8118);
        assertThat(settings.scheduler().servers()).isEqualTo(1);
        assertThat(settings.scheduler().workers()).isEqualTo(8);
    }

    @Test
    void familiesThatAgreeAreFine() {
        Settings settings = Settings.of(Map.of(
                "PSF_ROLE", "server",
                "MS_ROLE", "MS_PSERVER",
                "PSF_SCHEDULER", "h:1",
                "DMLC_PS_ROOT_URI", "h",
                "DMLC_PS_ROOT_PORT", "01"));

        assertThat(settings.role()).isEqualTo(Role.SERVER);
        assertThat(settings.server().join().schedulerPort()).isEqualTo(1);
    }

    @Test
    void familiesThatDifferAreRefusedByNameAndValue() {
        assertFails(() -> Settings.of(Map.of("PSF_SERVERS", "2", "DMLC_NUM_SERVER", "3")))
                .hasMessage("CONFIGURATION: PSF_SERVERS: 2, but DMLC_NUM_SERVER: 3 in the environment"
                        + " (expected: the same value in both, or only one of them)");
        assertFails(() ->
                        Settings.of(Map.of("DMLC_PS_ROOT_URI", "a", "DMLC_PS_ROOT_PORT", "1", "PSF_SCHEDULER", "b:2")))
                .hasMessageContaining("PSF_SCHEDULER: b:2, but DMLC_PS_ROOT_URI with DMLC_PS_ROOT_PORT: a:1");
        assertFails(() -> Settings.of(Map.of("MS_SCHED_HOST", "a", "MS_SCHED_PORT", "1", "MS_SCHED_POST", "2")))
                .hasMessageContaining("MS_SCHED_PORT: 1, but MS_SCHED_POST: 2");
        assertFails(() -> Settings.of(Map.of("MS_SCHED_HOST", "a", "MS_SCHED_POST", "1", "PSF_SCHEDULER", "a:2")))
                .hasMessageContaining("PSF_SCHEDULER: a:2, but MS_SCHED_HOST with MS_SCHED_POST: a:1");
    }

    @Test
    void halfAnAddressIsRefused() {
        assertFails(() -> Settings.of(Map.of("DMLC_PS_ROOT_URI", "10.0.0.1")))
                .hasMessage("CONFIGURATION: DMLC_PS_ROOT_PORT: not set, while DMLC_PS_ROOT_URI is 10.0.0.1"
                        + " in the environment (expected: both, or neither)");
    }

    @Test
    void aMissingSettingNamesEveryVariableThatGivesIt() {
        assertFails(() -> Settings.of(Map.of()).worker())
                .hasMessage(
                        "CONFIGURATION: PSF_SCHEDULER: not set (expected: host:port of the scheduler; also accepted:"
                                + " DMLC_PS_ROOT_URI with DMLC_PS_ROOT_PORT, MS_SCHED_HOST with MS_SCHED_PORT)");
        assertFails(() -> Settings.of(Map.of()).role())
                .hasMessage("CONFIGURATION: PSF_ROLE: not set (expected: scheduler, server or worker;"
                        + " also accepted: DMLC_ROLE, MS_ROLE)");
        assertFails(() -> Settings.of(Map.of("PSF_SCHEDULER", "h:1")).scheduler())
                .hasMessageContaining("PSF_SERVERS: not set")
                .hasMessageContaining("DMLC_NUM_SERVER, MS_SERVER_NUM");
    }

    @ParameterizedTest
    @CsvSource({
        "PSF_ROLE,master",
        "PSF_SCHEDULER,host",
        "PSF_SCHEDULER,host:70000",
        "PSF_SCHEDULER,:9",
        "PSF_SCHEDULER,::1:9",
        "PSF_SERVERS,0",
        "DMLC_NUM_SERVER,two",
        "PSF_WORKERS,-1",
        "PSF_LISTEN,x",
        "PSF_ADVERTISE,:4081",
        "PSF_ADVERTISE,a b",
        "PSF_LISTEN,a b:4081",
        "PSF_CLUSTER,a b",
        "PSF_NODE,pod/7",
        "PSF_ADVERTISE,host:70000",
        "PSF_HEALTH,host",
        "PSF_METRICS,70000",
        "PSF_DASHBOARD,-1",
        "PSF_PROGRESS_LIMIT,long",
        "PSF_DRAIN,0s",
        "PSF_LEAVE_AT_EXIT,yes",
        "PSF_RANK,-2",
        "PSF_TRANSPORT,pigeon",
        "PSF_SPIN_MICROS,-1",
        "PSF_CHECKSUM,yes",
        "PSF_LANES,0",
        "PSF_DEVICE,gpu",
        "PSF_DEVICE,-1",
        "PSF_DEVICE,'0,0'",
        "PSF_DEVICE,'0,'",
        "PSF_DEADLINE,30",
        "PSF_DEADLINE,0s",
        "PSF_JOIN_TIMEOUT,-1s",
        "PSF_HEARTBEAT_LIMIT,soon",
        "PSF_RECONNECT_LIMIT,0s"
    })
    void aMalformedValueIsRefusedWithItsName(String name, String value) {
        assertFails(() -> Settings.of(Map.of(name, value)))
                .hasMessageStartingWith("CONFIGURATION: " + name + ": " + value + " in the environment (expected: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PSF_SCHEDULER", "PSF_LISTEN", "PSF_HEALTH", "PSF_METRICS"})
    void anIpv6AddressWithoutBracketsIsRefusedWithTheRightOne(String name) {
        assertFails(() -> Settings.of(Map.of(name, "::1:80")))
                .hasMessageEndingWith("). An IPv6 address is in brackets. Did you mean [::1]:80?");
        assertFails(() -> Settings.of(Map.of(name, "host"))).hasMessageEndingWith(")");
        assertFails(() -> Settings.of(Map.of("PSF_ADVERTISE", "::1:80")))
                .hasMessageEndingWith("). An IPv6 address is in brackets. Did you mean [::1]:80?");
    }

    @Test
    void anEmptyValueCountsAsNotSet() {
        assertFails(() -> Settings.of(Map.of("PSF_ROLE", " ")).role()).hasMessageContaining("PSF_ROLE: not set");
    }

    @Test
    void theDevicesOfAServerAreCheckedWithoutSettingsToo() {
        ServerConfig config = ServerConfig.of("h", 1);
        assertThat(config.withDevices(2, 0).storage().devices()).containsExactly(2, 0);
        assertThat(config.withDevices(2).withMemory(2 << 20).storage().devices())
                .containsExactly(2);
        assertFails(() -> config.withDevices(-1)).hasMessage("CONFIGURATION: device: -1 (expected: >= 0)");
        assertFails(() -> config.withDevices(1, 1)).hasMessage("CONFIGURATION: devices: [1, 1] (expected: each once)");
    }

    @Test
    void whatIsStartedHasToFitTheRole() {
        assertFails(() -> Settings.of(Map.of("DMLC_ROLE", "server", "PSF_SCHEDULER", "h:1"))
                        .worker())
                .hasMessageContaining("PSF_ROLE: server (expected: worker");
    }

    @Test
    void onlyTheSchedulerMayLeaveItsPortToTheSystem() {
        Map<String, String> any = Map.of("PSF_SCHEDULER", "127.0.0.1:0", "PSF_SERVERS", "1", "PSF_WORKERS", "1");

        assertThat(Settings.of(any).scheduler().port()).isZero();
        assertFails(() -> Settings.of(any).server()).hasMessageContaining("PSF_SCHEDULER: 127.0.0.1:0 (expected:");
    }

    @Test
    void aFileHoldsTheSameKeysOfAnyFamily() throws IOException {
        Path file = write(
                "# a cluster", "PSF_ROLE: worker", "DMLC_PS_ROOT_URI: 10.0.0.1", "DMLC_PS_ROOT_PORT: 010", "PSF_RANK:");

        assertThat(Settings.fromYaml(file).role()).isEqualTo(Role.WORKER);
        assertThat(Settings.fromYaml(file).worker().join().schedulerPort()).isEqualTo(10);
    }

    @Test
    void theEnvironmentWinsOverTheFileAndOptionsWinOverBoth() throws IOException {
        Path file = write("PSF_SCHEDULER: file:1", "PSF_SERVERS: 1", "PSF_WORKERS: 7");
        Settings settings =
                Settings.of(Map.of("PSF_CONFIG", file.toString(), "DMLC_NUM_SERVER", "2", "DMLC_ROLE", "worker"));

        assertThat(settings.with(Map.of("PSF_ROLE", "scheduler", "PSF_SCHEDULER", "option:3"))
                        .scheduler())
                .isEqualTo(SchedulerConfig.of(2, 7).listen("option", 3));
    }

    @ParameterizedTest
    @CsvSource({
        "PSF_SERVRES,PSF_SERVERS",
        "PSF_SHEDULER,PSF_SCHEDULER",
        "role,PSF_ROLE",
        "join-timeout,PSF_JOIN_TIMEOUT",
    })
    void aKeyOfTheFileThatIsNoneIsRefusedWithTheOneThatWasMeant(String key, String meant) throws IOException {
        Path file = write(key + ": 1");

        assertFails(() -> Settings.fromYaml(file))
                .hasMessage("CONFIGURATION: " + key + ": not a setting, in " + file + " (expected: a setting, such as "
                        + meant + ")");
    }

    @Test
    void aSlipInTheEnvironmentIsRefusedButOthersVariablesPass() {
        assertFails(() -> Settings.of(Map.of("PSF_SERVER", "2")))
                .hasMessageEndingWith(" (expected: a setting, such as PSF_SERVERS)");
        Settings settings = Settings.of(Map.of(
                "PSF_ROLE", "server",
                "PSF_SCHEDULER_SERVICE_HOST", "10.0.0.1",
                "PSF_SCHEDULER_PORT", "tcp://10.0.0.1:9000",
                "PSF_PARENT", "1",
                "HOME", "/"));
        assertThat(settings.role()).isEqualTo(Role.SERVER);
    }

    @Test
    void aFileThatCannotBeReadIsOneSentence() throws IOException {
        assertFails(() -> Settings.of(Map.of("PSF_CONFIG", "/no/such.yaml")))
                .hasMessage("CONFIGURATION: /no/such.yaml: no such file (expected: a YAML file that can be read)");
        Path twice = write("PSF_RANK: 1", "PSF_RANK: 2");
        assertFails(() -> Settings.fromYaml(twice)).hasMessageContaining("PSF_RANK: given twice");
        Path broken = write("PSF_RANK: [1");
        assertFails(() -> Settings.fromYaml(broken))
                .hasMessageContaining("line ")
                .hasMessageNotContaining("\n");
        Path list = write("- PSF_RANK");
        assertFails(() -> Settings.fromYaml(list)).hasMessageContaining("not a map");
        Path nested = write("PSF_RANK: [1, 2]");
        assertFails(() -> Settings.fromYaml(nested))
                .hasMessage("CONFIGURATION: " + nested + ", line 1: a list or a map (expected: one value)");
        assertThat(Settings.fromYaml(write(""))).isNotNull();
    }

    @Test
    void theNamesOfASettingAreThoseOfEveryFamily() {
        assertThat(Settings.names("PSF_SCHEDULER"))
                .containsExactly(
                        "PSF_SCHEDULER",
                        "DMLC_PS_ROOT_URI",
                        "DMLC_PS_ROOT_PORT",
                        "MS_SCHED_HOST",
                        "MS_SCHED_PORT",
                        "MS_SCHED_POST");
        assertThat(Settings.names("HOME")).isEmpty();
    }

    private Path write(String... lines) throws IOException {
        return Files.writeString(directory.resolve("psf.yaml"), String.join("\n", lines) + "\n");
    }

    private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertFails(
            ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION));
    }

    /** The store is on the class path of servers alone. */
    @Test
    void onlyAServerOpensThePlaceOfCheckpoints() {
        Settings settings =
                Settings.of(Map.of("PSF_SCHEDULER", "127.0.0.1:9000", "PSF_CHECKPOINTS", "nowhere://bucket/models"));
        assertThat(settings.worker().join().schedulerPort()).isEqualTo(9000);
        assertThatThrownBy(settings::server)
                .isInstanceOf(PsException.class)
                .hasMessageContaining("PSF_CHECKPOINTS: place of checkpoints: nowhere://bucket/models (expected: ");
    }
}

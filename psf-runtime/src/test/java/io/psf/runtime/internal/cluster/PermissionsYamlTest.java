package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Member;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.server.session.Access;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PermissionsYamlTest {
    private static final String TOKEN = "a token of a dashboard";
    private static final String GOOD = """
            groups:
              scoring: [com.example.score, com.example.top]
            allow:
              - name: dashboard
                token: a token of a dashboard
                roles: [guest]
                functions: [read]
              - name: serving
                certificate: "serving-*.example"
                roles: [client]
                functions: [read, scoring, psf.barrier]
              - name: training
                certificate: serving-1.example
                roles: [worker, client]
                functions: [pull]
              - name: nodes
                roles: [server]
                functions: [all]
            """;

    private static Permissions read(String text) {
        return PermissionsYaml.read("p.yaml", text, true);
    }

    private static Access access(Permissions permissions, Role role, int rank, String grant) {
        return Objects.requireNonNull(permissions.rules().permits().of(new Member(role, rank, "", 0), grant));
    }

    @Test
    void anEntryAllowsItsGroupsToItsRolesAndNothingElse() {
        Permissions permissions = read(GOOD);
        Access guest = access(permissions, Role.WORKER, Ticket.GUEST, "dashboard");
        assertThat(guest.allows(Names.number("psf.stats"))).isTrue();
        assertThat(guest.allows(Names.number("psf.dense.pull"))).isFalse();
        assertThat(guest.allows(Names.number("psf.cluster.leave"))).isTrue();
        Access worker = access(permissions, Role.WORKER, 0, "dashboard");
        assertThat(worker.allows(Names.number("psf.stats"))).isFalse();
        assertThat(worker.allows(Names.number("psf.cluster.leave"))).isTrue();
        Access server = access(permissions, Role.SERVER, 0, "nodes");
        assertThat(server.allows(Names.number("org.example.any"))).isTrue();
        Access nobody = access(permissions, Role.SERVER, 0, "");
        assertThat(nobody.allows(Names.number("org.example.any"))).isFalse();
    }

    @Test
    void allMatchingEntriesCount() {
        Access client = access(read(GOOD), Role.CLIENT, 7, "serving,training@serving-1.example");
        assertThat(Stream.of("com.example.score", "psf.barrier", "psf.list", "psf.sparse.pull")
                        .map(name -> client.allows(Names.number(name))))
                .containsOnly(true);
        assertThat(client.allows(Names.number("com.example.other"))).isFalse();
    }

    @Test
    void theGroupsOfPsfHaveNoFunctionInCommon() {
        List<String> names = Stream.concat(
                        FunctionGroups.MEMBERSHIP.stream(),
                        FunctionGroups.byName().values().stream().flatMap(each -> each.stream()))
                .toList();
        assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThan(70);
        for (String allowed : names) {
            Access one = new Access("one", false, List.of(allowed));
            assertThat(names.stream().filter(name -> one.allows(Names.number(name))))
                    .containsExactly(allowed);
        }
        Access all = new Access("all of them", false, names);
        assertThat(names.stream().filter(name -> !all.allows(Names.number(name))))
                .isEmpty();
    }

    static Stream<List<String>> wrongTexts() {
        return Stream.of(
                List.of("", "p.yaml: empty (expected: allow"),
                List.of("- a", "line 1: not a map (expected: a map with groups and allow)"),
                List.of("groups: {a: [b.c]}", "no allow"),
                List.of("allow: []", "line 1: an empty list"),
                List.of("allow: 7", "line 1: not a list"),
                List.of("alow: []", "line 1: key: alow (expected: groups, allow)"),
                List.of("allow: [a]\nallow: [b]", "key: allow, a second time"),
                List.of("allow: &x [a]", "an anchor or an alias"),
                List.of(
                        GOOD.replace("functions: [pull]", "functions: [pul]"),
                        "line 15: group: pul (expected: read, pull"),
                List.of(
                        GOOD.replace("functions: [pull]", "functions: [psf.dense.pul]"),
                        "a function of psf that exists"),
                List.of(
                        GOOD.replace("functions: [pull]", "functions: [psf.cluster.join]"),
                        "function: psf.cluster.join"),
                List.of(GOOD.replace("functions: [pull]", "functions: pull"), "line 15: not a list"),
                List.of(GOOD.replace("functions: [pull]", "functions: [[pull]]"), "line 15: a list or a map"),
                List.of(GOOD.replace("functions: [pull]", "functions: []"), "line 15: an empty list"),
                List.of(
                        GOOD.replace("roles: [guest]", "roles: [guests]"),
                        "line 6: role: guests (expected: server, worker"),
                List.of(GOOD.replace("name: serving", "name: training"), "name: training, a second time"),
                List.of(GOOD.replace("name: serving", "name: 'a,b'"), "name: a,b (expected: letters"),
                List.of(GOOD.replace("    roles: [guest]\n", ""), "line 4: an entry without roles"),
                List.of(
                        GOOD.replace("    roles: [guest]\n", "    role: [guest]\n"),
                        "line 6: key: role (expected: name"),
                List.of(
                        GOOD.replace("a token of a dashboard", "15 letters long"),
                        "token: 15 characters (expected: at least 16)"),
                List.of(GOOD.replace("scoring: [", "read: ["), "group: read (expected: another name"),
                List.of(GOOD.replace("scoring: [", "all: ["), "group: all (expected: another name"),
                List.of(GOOD + "\n---\nallow: 1\n", "single document"),
                List.of("allow: {{", "p.yaml"),
                List.of("allow: " + "[".repeat(200_000), "p.yaml"));
    }

    @ParameterizedTest
    @MethodSource("wrongTexts")
    void whatIsWrongIsRefusedWithItsPlace(List<String> textAndMessage) {
        assertThatThrownBy(() -> read(textAndMessage.get(0)))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION))
                .hasMessageContaining("PSF_PERMISSIONS: p.yaml")
                .hasMessageContaining(textAndMessage.get(1))
                .hasMessageNotContaining(TOKEN);
    }

    @Test
    void anEntryForAllNeedsASecretOfTheCluster() {
        assertThatThrownBy(() -> PermissionsYaml.read("p.yaml", GOOD, false))
                .hasMessageContaining("nodes: neither token nor certificate (expected: one of them, or PSF_SECRET");
    }

    @Test
    void aFileWithTokensThatOthersCanReadIsRefused(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("p.yaml");
        Files.writeString(file, GOOD);
        for (String mode : List.of("rw-r-----", "rw----r--")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            assertThatThrownBy(() -> PermissionsFile.read(file, true)).hasMessageContaining("chmod 600");
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(PermissionsFile.read(file, true).now().toString())
                .isEqualTo("4 entries: dashboard, serving, training, nodes")
                .doesNotContain(TOKEN);
    }

    @Test
    void aLongFileAndAMissingOneAreRefused(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("p.yaml");
        assertThatThrownBy(() -> PermissionsFile.read(file, true)).hasMessageContaining("no such file");
        Files.writeString(file, GOOD + "#".repeat(1 << 20));
        assertThatThrownBy(() -> PermissionsFile.read(file, true)).hasMessageContaining("at most 1 MB");
    }

    @Test
    void theVersionIsThatOfTheRulesWithoutTheTokens() {
        Rules rules = read(GOOD).rules();
        assertThat(read(GOOD.replace(TOKEN, "another token of it")).rules()).isEqualTo(rules);
        assertThat(read(GOOD.replace("[pull]", "[push]")).rules().version()).isNotEqualTo(rules.version());
        assertThat(rules.toString()).doesNotContain(TOKEN);
    }

    /**
     * As deep as a file can be, with references to itself, and with as many entries: read on the lane of the scheduler.
     */
    @ParameterizedTest
    @ValueSource(strings = {"[", "{", "- ", "? ", "&a [*a,", "a: {", "!!map {", "[*a, ", "'a': 'b'\n", "a: &a b\n"})
    void aBombIsRefusedSoon(String part) {
        String text = part.repeat((1 << 20) / part.length());
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime(); // a busy machine takes longer
        assertThatThrownBy(() -> PermissionsYaml.read("p.yaml", text, true))
                .isInstanceOfSatisfying(PsException.class, e -> {
                    assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION);
                    assertThat(e.getMessage()).hasSizeLessThan(2000);
                });
        long millis = (threads.getCurrentThreadCpuTime() - begin) / 1_000_000;
        System.out.printf("1 MB of \"%s\": %d ms%n", part.strip(), millis);
        assertThat(millis).isLessThan(10_000);
    }

    /** Each list has the one before nine times: 9 to the 10th names. */
    @Test
    void referencesAreRefusedBeforeTheyAreFollowed() {
        StringBuilder text = new StringBuilder("groups:\n  a0: &a0 [acme.f]\n");
        for (int i = 1; i < 10; i++) {
            text.append(String.format(
                    Locale.ROOT,
                    "  a%d: &a%d [%s]\n",
                    i,
                    i,
                    String.join(", ", Collections.nCopies(9, "*a" + (i - 1)))));
        }
        assertThatThrownBy(() -> PermissionsYaml.read("p.yaml", text + "allow: [{name: a}]", true))
                .hasMessageContaining("aliases for non-scalar nodes exceeds the specified max=50");
    }
}

package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Place;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.tensor.ListTensorsPsf;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RecordedChannel;
import io.psf.runtime.spi.transport.RequestHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every function that a server of this class path serves, called by every role of a file of permissions. */
class PermissionMatrixTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern DECLARED =
            Pattern.compile("(?:@PsFunction\\(\\s*(?:value\\s*=\\s*)?|String NAME = )\"(psf\\.[A-Za-z0-9_.]+)\"");

    /** Declared for the sake of a codec: no node serves it. */
    private static final String JOURNAL = "psf.scheduler.journal";

    private static final String FILE = """
            groups:
              own: [acceptance.notes, acceptance.add.tensor]
            allow:
              - {name: dashboard, roles: [guest], functions: [read]}
              - {name: serving, roles: [client], functions: [pull, own]}
              - {name: training, roles: [worker], functions: [pull, push]}
              - {name: saving, roles: [worker], functions: [admin]}
              - {name: one, roles: [client], functions: [acceptance.notes]}
              - {name: everything, roles: [client], functions: [all]}
              - {name: nodes, roles: [server], functions: [read, pull, push]}
            """;

    private final FramePool pool = new FramePool(1 << 20);
    private final HostNode node =
            HostNode.start("matrix", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
    private final Connections connections = new Connections(node, pool, 1 << 20);
    private final Handlers handlers = Handlers.found(PermissionMatrixTest.class.getClassLoader());
    private final Dispatcher dispatcher = new Dispatcher(node, connections, pool, handlers, Set.of(ListTensorsPsf.ID));

    @AfterEach
    void stop() {
        dispatcher.close();
    }

    private static Set<String> group(String name) {
        return Objects.requireNonNull(FunctionGroups.byName().get(name));
    }

    private static Stream<String> declared() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(each ->
                            each.toString().endsWith(".java") && each.toString().contains("src/main/java"))
                    .toList()) {
                Matcher declared = DECLARED.matcher(Files.readString(file));
                while (declared.find()) {
                    names.add(declared.group(1));
                }
            }
        }
        return names.stream();
    }

    @Test
    void everyFunctionOfPsfIsInOneGroup() throws IOException {
        Set<String> grouped = new TreeSet<>(FunctionGroups.MEMBERSHIP);
        FunctionGroups.byName()
                .values()
                .forEach(group -> group.forEach(
                        name -> assertThat(grouped.add(name)).as(name).isTrue()));
        grouped.add(JOURNAL);
        assertThat(new TreeSet<>(declared().toList())).isEqualTo(grouped);
        assertThat(handlers.functions().stream()
                        .map(FunctionInfo::name)
                        .filter(name -> name.startsWith("psf.") && !grouped.contains(name)))
                .isEmpty();
    }

    @Test
    void whatIsReadAndPulledChangesNothing() {
        assertThat(handlers.functions().stream()
                        .filter(function -> group("read").contains(function.name())
                                || group("pull").contains(function.name())))
                .hasSizeGreaterThan(10)
                .allMatch(FunctionInfo::readOnly);
    }

    @Test
    void aCallIsAllowedAsDeclaredAndNoOther() {
        Permissions permissions = PermissionsYaml.read("p.yaml", FILE, true);
        Set<String> own = Set.of("acceptance.notes", "acceptance.add.tensor");
        Map<Member, List<Set<String>>> allowed = new LinkedHashMap<>();
        Map<Member, String> grants = new LinkedHashMap<>();
        Set<String> all = new TreeSet<>(
                handlers.functions().stream().map(FunctionInfo::name).toList());
        Set<String> pull = group("pull");
        Set<String> push = group("push");
        add(allowed, grants, new Member(Role.WORKER, Ticket.GUEST, "", 0), "dashboard", List.of(group("read")));
        add(allowed, grants, new Member(Role.CLIENT, 0, "", 0), "serving", List.of(pull, own));
        add(allowed, grants, new Member(Role.WORKER, 0, "", 0), "training", List.of(pull, push));
        List<Set<String>> saving = List.of(pull, push, group("admin"));
        add(allowed, grants, new Member(Role.WORKER, 1, "", 0), "training,saving", saving);
        add(allowed, grants, new Member(Role.CLIENT, 1, "", 0), "one", List.of(Set.of("acceptance.notes")));
        add(allowed, grants, new Member(Role.CLIENT, 2, "", 0), "everything", List.of(all));
        List<Set<String>> serving = List.of(group("read"), pull, push);
        add(allowed, grants, new Member(Role.SERVER, 1, "", 0), "nodes", serving);
        add(allowed, grants, new Member(Role.WORKER, 2, "", 0), "serving", List.of()); // another role's
        add(allowed, grants, new Member(Role.WORKER, 3, "", 0), "gone", List.of()); // an entry that was removed
        add(allowed, grants, new Member(Role.WORKER, 4, "", 0), "", List.of());
        connections.setPermits(permissions.rules().permits());
        int calls = 0;
        for (Map.Entry<Member, String> each : grants.entrySet()) {
            Member member = each.getKey();
            Line line = new Line(member, each.getValue());
            for (FunctionInfo function : handlers.functions()) {
                boolean isAllowed = Objects.requireNonNull(allowed.get(member)).stream()
                        .anyMatch(some -> some.contains(function.name()));
                boolean isOfGuests = function.readOnly() && function.place() == Place.SERVER;
                if (member.rank() == Ticket.GUEST && !isOfGuests) {
                    isAllowed = false;
                    assertThat(line.call(function)).as(function.name()).isEqualTo(Code.BAD_REQUEST);
                } else if (isAllowed && mayBlock(function)) {
                    continue;
                } else {
                    for (String former : function.formerly()) {
                        assertThat(line.call(function.as(former)) == Code.PERMISSION_DENIED)
                                .as("%s of %s", former, member)
                                .isEqualTo(!isAllowed);
                    }
                    Code code = line.call(function);
                    assertThat(code == Code.PERMISSION_DENIED)
                            .as("%s of %s: %s", function.name(), member, code)
                            .isEqualTo(!isAllowed);
                }
                calls++;
            }
        }
        assertThat(calls).isGreaterThan(700);
    }

    /**
     * True for a function that has to do with other calls: without a payload it is not answered, or changes the node.
     */
    private static boolean mayBlock(FunctionInfo function) {
        return !function.name().startsWith("psf.");
    }

    private static void add(
            Map<Member, List<Set<String>>> allowed,
            Map<Member, String> grants,
            Member member,
            String grant,
            List<Set<String>> functions) {
        grants.put(member, grant);
        allowed.put(member, functions);
    }

    /** A peer's end of a connection. */
    private final class Line extends RecordedChannel {
        private long calls = 1;

        Line(Member member, String grant) {
            connectTo(dispatcher);
            call(ListTensorsPsf.FUNCTION.info());
            var connection = Objects.requireNonNull(connections.get(this));
            connection.rights().prove(grant);
            if (member.rank() == Ticket.GUEST) {
                connections.accept(connection, member);
            } else {
                connections.open(
                        connection, member, 1, 1000 + 10 * member.role().ordinal() + member.rank());
            }
        }

        /** Sends a request without a payload, and returns how it ends. */
        Code call(FunctionInfo function) {
            RequestHeader.Target nowhere = new RequestHeader.Target(0, 0, (short) 0);
            RequestHeader header = new RequestHeader(function, nowhere, calls++, 20_000, 0, 0);
            receive(Frames.request(pool, header, new TupleWriter()));
            Frame answer = take();
            Code code = answer.status();
            answer.release();
            return code;
        }
    }
}

package io.psf.runtime.internal.server.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Available;
import io.psf.api.Names;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.PsCluster;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HandlersTest {
    private static final String FILE = ClassPath.SERVICES;

    @TempDir
    private Path folder;

    /** Brings a handler of {@link Missing}. */
    private abstract static class OfMissing implements HandlerProvider {
        @Override
        public Function<?, ?> function() {
            return MissingPsf.FUNCTION;
        }

        @Override
        public String handler() {
            return "acme." + getClass().getSimpleName();
        }

        @Override
        public Binding<?, ?> binding() {
            return MissingPsf.bind((request, server) -> new Missing.Response());
        }
    }

    /** One that can run everywhere. */
    public static final class Plain extends OfMissing {}

    /** Another one that can run everywhere. */
    public static final class PlainToo extends OfMissing {}

    /** One that is tried first. */
    public static final class Preferred extends OfMissing {
        @Override
        public int preference() {
            return 7;
        }
    }

    /** The function's own. */
    public static final class Body extends OfMissing {
        @Override
        public boolean isDefault() {
            return true;
        }
    }

    /** A handler that wants what is not there. */
    private static final class Wanting implements Missing, Available {
        @Override
        public Optional<String> unavailable() {
            return Optional.of("no device of that kind");
        }

        @Override
        public Response handle(Request request, Node server) {
            throw new AssertionError("not reached");
        }
    }

    /** Would be tried before all others. */
    public static final class OnDevice extends OfMissing {
        @Override
        public int preference() {
            return 9;
        }

        @Override
        public Binding<?, ?> binding() {
            return MissingPsf.bind(new Wanting());
        }
    }

    /** A kind of shard. */
    private interface DeviceShard extends Shard {}

    /** A kind of such shards. */
    private interface NewDeviceShard extends DeviceShard {}

    /** Another kind. */
    private interface RemoteShard extends Shard {}

    /** A handler for one kind of shard. */
    private abstract static class OfKind extends OfMissing {
        abstract Class<? extends Shard> kind();

        @Override
        public Binding<?, ?> binding() {
            return Binding.shard(MissingPsf.FUNCTION, kind(), handler(), (request, shard) -> new Missing.Response());
        }
    }

    /** For every kind. */
    public static final class OnAny extends OfKind {
        @Override
        Class<? extends Shard> kind() {
            return Shard.class;
        }
    }

    /** For devices. */
    public static final class OnDevices extends OfKind {
        @Override
        Class<? extends Shard> kind() {
            return DeviceShard.class;
        }

        @Override
        public int preference() {
            return 2;
        }
    }

    /** For new devices. */
    public static final class OnNewDevices extends OfKind {
        @Override
        Class<? extends Shard> kind() {
            return NewDeviceShard.class;
        }

        @Override
        public int preference() {
            return 3;
        }
    }

    /** For new devices, but tried after that for all devices. */
    public static final class HiddenOnNewDevices extends OfKind {
        @Override
        Class<? extends Shard> kind() {
            return NewDeviceShard.class;
        }

        @Override
        public int preference() {
            return 1;
        }
    }

    /** For new devices, of the preference of that for all devices. */
    public static final class EqualOnNewDevices extends OfKind {
        @Override
        Class<? extends Shard> kind() {
            return NewDeviceShard.class;
        }

        @Override
        public int preference() {
            return 2;
        }
    }

    /** For another kind. */
    public static final class OnRemote extends OfKind {
        @Override
        Class<? extends Shard> kind() {
            return RemoteShard.class;
        }

        @Override
        public int preference() {
            return 2;
        }
    }

    /** Says that its handler could not be made. */
    public static final class Failing extends OfMissing {
        @Override
        public Binding<?, ?> binding() {
            throw new IllegalStateException("no accelerator here");
        }
    }

    /** Cannot be made itself. */
    public static final class Broken extends OfMissing {
        /** Throws. */
        public Broken() {
            throw new IllegalStateException("no luck");
        }
    }

    /** Cannot be made without a class that is not there. */
    public static final class Orphan extends OfMissing {
        /** Throws. */
        public Orphan() {
            throw new NoClassDefFoundError("acme/Library");
        }
    }

    /** Needs a class that is not there. */
    public static final class Unlinked extends OfMissing {
        @Override
        public int preference() {
            return 8;
        }

        @Override
        public Binding<?, ?> binding() {
            throw new NoClassDefFoundError("acme/Library");
        }
    }

    /** What a node takes of those that a service file names, in any order. */
    private Choice choice(Class<?>... providers) throws IOException {
        List<Class<?>> order = new ArrayList<>(List.of(providers));
        Choice choice = null;
        for (int turn = 0; turn < providers.length; turn++) {
            Collections.rotate(order, 1);
            Path app = Files.createDirectories(folder.resolve("turn" + turn));
            Files.createDirectories(app.resolve(FILE).getParent());
            Files.write(app.resolve(FILE), order.stream().map(Class::getName).toList());
            try (URLClassLoader loader = loader(List.of(app))) {
                Choice now = Handlers.found(loader).all().stream()
                        .filter(each -> each.binding().function() == MissingPsf.FUNCTION)
                        .findFirst()
                        .orElseThrow();
                assertThat(choice == null ? now.handler() : choice.handler()).isEqualTo(now.handler());
                choice = now;
            }
        }
        return Objects.requireNonNull(choice);
    }

    @Test
    void theAvailableHandlerOfTheHighestPreferenceIsTaken() throws IOException {
        Choice choice = choice(Plain.class, Preferred.class, Body.class, OnDevice.class, Unlinked.class);
        assertThat(choice.handler()).isEqualTo("acme.Preferred");
        assertThat(choice.passedOver())
                .map(PassedOver::toString)
                .containsExactly(
                        "acme.OnDevice in test-classes/ (no device of that kind)",
                        "acme.Unlinked in test-classes/ (cannot be loaded, java.lang.NoClassDefFoundError: acme/Library)",
                        "acme.Plain in test-classes/ (preference 0, below 7)",
                        "acme.Body in test-classes/ (a default body)");
    }

    private Choices choices(Class<?>... providers) throws IOException {
        Path app = Files.createDirectories(folder.resolve("app"));
        Files.createDirectories(app.resolve(FILE).getParent());
        Files.write(
                app.resolve(FILE),
                List.of(providers).stream().map(Class::getName).toList());
        try (URLClassLoader loader = loader(List.of(app))) {
            return Objects.requireNonNull(
                    Handlers.found(loader).get(MissingPsf.FUNCTION.info().id()));
        }
    }

    @Test
    void eachKindOfShardHasItsFirstHandler() throws IOException {
        Choices choices = choices(
                OnAny.class, OnDevices.class, HiddenOnNewDevices.class, OnNewDevices.class, OnRemote.class, Body.class);
        assertThat(choices.of(NewDeviceShard.class).handler()).isEqualTo("acme.OnNewDevices");
        assertThat(choices.of(DeviceShard.class).handler()).isEqualTo("acme.OnDevices");
        assertThat(choices.of(RemoteShard.class).handler()).isEqualTo("acme.OnRemote");
        assertThat(choices.of(Shard.class).handler()).isEqualTo("acme.OnAny");
        assertThat(choices.inOrder())
                .map(Choice::describe)
                .containsExactlyInAnyOrder(
                        "acme.OnNewDevices for " + NewDeviceShard.class.getName(),
                        "acme.OnDevices for " + DeviceShard.class.getName(),
                        "acme.OnRemote for " + RemoteShard.class.getName(),
                        "acme.OnAny");
        assertThat(choices.inOrder().get(0).passedOver())
                .map(PassedOver::toString)
                .containsExactly(
                        "acme.HiddenOnNewDevices in test-classes/ (preference 1, below 3)",
                        "acme.Body in test-classes/ (a default body)");
        assertThat(choices.describe(kind -> true))
                .contains(
                        "acme.missing: acme.OnNewDevices for " + NewDeviceShard.class.getName()
                                + "; passed over: acme.HiddenOnNewDevices in test-classes/ (preference 1, below 3),"
                                + " acme.Body in test-classes/ (a default body)",
                        "acme.missing: acme.OnAny");
        assertThat(choices.describe(kind -> kind == DeviceShard.class)).isEmpty();
        Binding<?, ?> given = Binding.shard(
                MissingPsf.FUNCTION, DeviceShard.class, "given", (request, shard) -> new Missing.Response());
        Choices replaced = choices.with(Choice.given(given));
        assertThat(replaced.of(NewDeviceShard.class)).isSameAs(given);
        assertThat(replaced.of(RemoteShard.class).handler()).isEqualTo("acme.OnRemote");
    }

    @Test
    void aKindOfShardWithoutAHandlerIsNamed() throws IOException {
        Choices choices = choices(OnDevices.class, OnRemote.class);
        assertThat(choices.of(NewDeviceShard.class).handler()).isEqualTo("acme.OnDevices");
        assertThatThrownBy(() -> choices.of(Shard.class))
                .isInstanceOf(PsException.class)
                .hasMessage("UNKNOWN_FUNCTION: handler of \"acme.missing\" for shards of " + Shard.class.getName()
                        + ": none (expected: one that serves this kind of shard; this node has acme.OnDevices for "
                        + DeviceShard.class.getName() + ", acme.OnRemote for " + RemoteShard.class.getName() + ")");
    }

    @Test
    void twoHandlersOfOnePreferenceForOneKindAreNamed() throws IOException {
        assertThat(refusal(OnDevices.class.getName() + "\n" + EqualOnNewDevices.class.getName()))
                .isEqualTo("handlers of \"acme.missing\": acme.OnDevices in test-classes/ and acme.EqualOnNewDevices"
                        + " in test-classes/, both of preference 2 (expected: one, or different preferences)");
    }

    @Test
    void aDefaultBodyIsTheLastResort() throws IOException {
        assertThat(choice(Body.class, OnDevice.class)).satisfies(choice -> {
            assertThat(choice.handler()).isEqualTo("acme.Body");
            assertThat(choice.isDefault()).isTrue();
        });
        assertThat(choice(Body.class, Plain.class).handler()).isEqualTo("acme.Plain");
    }

    @Test
    void twoAvailableHandlersOfTheHighestPreferenceAreNamed() throws IOException {
        assertThat(refusal(Plain.class.getName() + "\n" + PlainToo.class.getName() + "\n" + OnDevice.class.getName()))
                .isEqualTo("handlers of \"acme.missing\": acme.Plain in test-classes/ and acme.PlainToo in"
                        + " test-classes/, both of preference 0 (expected: one, or different preferences)");
        assertThat(choice(Plain.class, PlainToo.class, Preferred.class).handler())
                .isEqualTo("acme.Preferred");
    }

    @Test
    void aFunctionOfWhichNoHandlerIsAvailableIsNamedWithAllReasons() throws IOException {
        assertThat(refusal(Unlinked.class.getName() + "\n" + OnDevice.class.getName()))
                .isEqualTo("handlers of \"acme.missing\": acme.OnDevice in test-classes/ (no device of that kind),"
                        + " acme.Unlinked in test-classes/ (cannot be loaded, java.lang.NoClassDefFoundError:"
                        + " acme/Library) (expected: one that is available on this node)");
    }

    @Test
    void aProviderThatIsNotThereIsNamedWithItsServiceFile() throws IOException {
        assertThat(refusal("acme.GonePsfProvider"))
                .isEqualTo("handler provider: acme.GonePsfProvider, named in " + FILE + " of app/: not found"
                        + " (expected: a class that psf-processor wrote; build that jar or folder again)");
    }

    @Test
    void aProviderOfSomethingElseIsNamed() throws IOException {
        assertThat(refusal(PsCluster.class.getName()))
                .isEqualTo("handler provider: " + PsCluster.class.getName() + ", named in " + FILE
                        + " of app/: not a subtype"
                        + " (expected: a class that psf-processor wrote; build that jar or folder again)");
    }

    @Test
    void aProviderThatCannotBeMadeIsNamedWithTheReason() throws IOException {
        assertThat(refusal(Broken.class.getName()))
                .isEqualTo("handler provider: " + Broken.class.getName() + ", named in " + FILE
                        + " of app/: could not be instantiated, java.lang.IllegalStateException: no luck"
                        + " (expected: a class that psf-processor wrote; build that jar or folder again)");
    }

    @Test
    void aProviderThatMissesAClassAsksForItsJar() throws IOException {
        assertThat(refusal(Orphan.class.getName()))
                .isEqualTo("handler provider: " + Orphan.class.getName() + ", named in " + FILE
                        + " of app/: could not be instantiated, java.lang.NoClassDefFoundError: acme/Library"
                        + " (expected: the jar with that class on the class path, too)");
    }

    @Test
    void aBrokenServiceFileIsNamedWithTheLine() throws IOException {
        assertThat(refusal("# fine\nnot a class name"))
                .startsWith("handler provider: file:")
                .contains("/app/" + FILE + ":2: ")
                .doesNotContain("\n");
    }

    @Test
    void aHandlerThatCannotBeMadeIsNamedWithTheReason() throws IOException {
        assertThat(refusal(Failing.class.getName()))
                .isEqualTo("handler: acme.Failing in test-classes/: making it threw"
                        + " java.lang.IllegalStateException: no accelerator here"
                        + " (expected: a handler whose constructor succeeds on this node)");
    }

    @Test
    void aFormerNameBelongsToItsFunctionAlone() throws IOException {
        Missing missing = (request, server) -> new Missing.Response();
        FunctionInfo info = MissingPsf.FUNCTION.info();
        Binding<?, ?> now = named(info.as("acme.now").formerly("acme.before", "acme.missing"), missing);
        try (URLClassLoader none = loader(List.of())) {
            Handlers handlers = Handlers.found(none).with(now).with(now);
            for (String name : List.of("acme.now", "acme.before", "acme.missing")) {
                assertThat(Objects.requireNonNull(handlers.get(Names.number(name)))
                                .first())
                        .isSameAs(now);
                assertThat(handlers.as(Names.number(name), now.function().info())
                                .schema())
                        .startsWith(name + " at ");
            }
            assertThat(handlers.get(Names.number("acme.other"))).isNull();
            for (Binding<?, ?> other : List.of(
                    MissingPsf.bind(missing), named(info.as("acme.third").formerly("acme.now"), missing))) {
                assertThatThrownBy(() -> handlers.with(other))
                        .isInstanceOfSatisfying(
                                PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION))
                        .hasMessageContaining(
                                "functions \"acme.now\" (formerly \"acme.before\", \"acme.missing\") and \""
                                        + other.function().info().name() + "\"")
                        .hasMessageContaining(": the same number on the wire");
            }
        }
    }

    private static Binding<?, ?> named(FunctionInfo info, Missing handler) {
        Function<Missing.Request, Missing.Response> function = new Function<>(info) {
            @Override
            public void write(Missing.Request request, Routing routing, int part, TupleWriter out) {}

            @Override
            public Missing.Request read(TupleReader in) {
                return new Missing.Request();
            }

            @Override
            public void writeAnswer(Missing.Response answer, TupleWriter out) {}

            @Override
            public Merge<Missing.Response> merge(
                    Missing.Request request, Routing routing, Missing.@Nullable Response into) {
                throw new AssertionError("not reached");
            }
        };
        return Binding.node(function, handler, handler::handle);
    }

    /** What the start of a cluster says when a service file holds this. */
    private String refusal(String services) throws IOException {
        Path file = folder.resolve("app").resolve(FILE);
        Files.createDirectories(file.getParent());
        Files.writeString(file, services + "\n");
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = loader(List.of(folder.resolve("app")))) {
            Thread.currentThread().setContextClassLoader(loader);
            PsException e = catchThrowableOfType(
                    PsException.class, () -> PsCluster.embedded(1).close());
            assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION);
            return e.detail();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static URLClassLoader loader(List<Path> entries) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path entry : entries) {
            urls.add(entry.toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), HandlersTest.class.getClassLoader());
    }

    @Test
    void whatBringsHandlersIsNamedFirstAndTenInAll() throws IOException {
        List<Path> entries = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            entries.add(Files.createDirectory(folder.resolve("folder" + i)));
        }
        Path file = folder.resolve("folder11").resolve(FILE);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
        entries.add(folder.resolve("nowhere.jar"));
        try (URLClassLoader loader = loader(entries)) {
            String searched = Handlers.found(loader).searched();
            assertThat(searched)
                    .startsWith("folder11/, ")
                    .matches("([^ ,]+, ){9}[^ ,]+ and [0-9]+ more")
                    .doesNotContain("nowhere");
        }
    }

    @Test
    void aMissingFunctionIsNamedWithWhatTheServerSearched() throws IOException {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            assertThatThrownBy(() -> MissingPsf.stub(cluster.worker()).call().await())
                    .isInstanceOf(PsException.class)
                    .hasMessageStartingWith(
                            "UNKNOWN_FUNCTION: function: \"acme.missing\" (expected: one that the server"
                                    + " has a handler of: put the jar of its @PsHandler on the server's class path, with --classpath JAR"
                                    + " of psf launch, server or node; it searched ")
                    .hasMessageContaining("test-classes/")
                    .hasMessageContaining(") in acme.missing, server 0 (");
        }
    }

    @Test
    void aFunctionThatTheSchedulerMissesIsNamedWithWhatItSearched() throws IOException {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            assertThatThrownBy(() -> AbsentPsf.stub(cluster.worker()).call().await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining(
                            "(expected: one that this node has a handler of: put the jar of its @PsHandler on"
                                    + " the node's class path, with --classpath JAR of psf launch, server, scheduler or node; it searched ")
                    .hasMessageContaining("test-classes/");
        }
    }
}

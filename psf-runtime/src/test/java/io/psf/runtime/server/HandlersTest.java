package io.psf.runtime.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.HandlerProvider;
import io.psf.runtime.PsCluster;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HandlersTest {
    private static final String FILE = ClassPath.SERVICES;

    @TempDir
    private Path folder;

    /** Says that its handler could not be made. */
    public static final class Failing implements HandlerProvider {
        @Override
        public Binding<?, ?> binding() {
            throw new IllegalStateException("no accelerator here");
        }
    }

    /** Cannot be made itself. */
    public static final class Broken implements HandlerProvider {
        /** Throws. */
        public Broken() {
            throw new IllegalStateException("no luck");
        }

        @Override
        public Binding<?, ?> binding() {
            throw new AssertionError("not reached");
        }
    }

    /** Needs a class that is not there. */
    public static final class Unlinked implements HandlerProvider {
        @Override
        public Binding<?, ?> binding() {
            throw new NoClassDefFoundError("acme/Library");
        }
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
    void aBrokenServiceFileIsNamedWithTheLine() throws IOException {
        assertThat(refusal("# fine\nnot a class name"))
                .startsWith("handler provider: file:")
                .contains("/app/" + FILE + ":2: ")
                .doesNotContain("\n");
    }

    @Test
    void aHandlerThatCannotBeMadeIsNamedWithTheReason() throws IOException {
        assertThat(refusal(Failing.class.getName()))
                .isEqualTo(
                        "handler provider: " + Failing.class.getName() + " in test-classes/: making its handler threw"
                                + " java.lang.IllegalStateException: no accelerator here"
                                + " (expected: a handler whose constructor succeeds on this node)");
    }

    @Test
    void aHandlerThatMissesAClassIsNamedWithTheReason() throws IOException {
        assertThat(refusal(Unlinked.class.getName()))
                .contains("java.lang.NoClassDefFoundError: acme/Library")
                .doesNotContain("\n");
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
                                    + " has a handler of; it searched ")
                    .hasMessageContaining("test-classes/")
                    .hasMessageContaining("; put the jar of its @PsHandler there) in acme.missing, server 0 (");
        }
    }

    @Test
    void aFunctionThatTheSchedulerMissesIsNamedWithWhatItSearched() throws IOException {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            assertThatThrownBy(() -> AbsentPsf.stub(cluster.worker()).call().await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("(expected: one that this node has a handler of; it searched ")
                    .hasMessageContaining("test-classes/");
        }
    }
}

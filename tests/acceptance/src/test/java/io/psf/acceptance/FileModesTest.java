package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.interchange.Npy;
import io.psf.interchange.Safetensors;
import io.psf.runtime.Client;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may read what psf writes, and what it writes where another user has left a link. */
@Timeout(60)
class FileModesTest {
    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    @TempDir
    Path folder;

    private Path victim;

    @BeforeEach
    void createVictim() throws IOException {
        victim = Files.writeString(folder.resolve("victim"), "of another program");
    }

    /** Runs work beside a service whose directories are made by it. */
    private void withService(Consumer<Client> work) {
        SchedulerConfig config = SchedulerConfig.of(1, 1).asService().withJournal(folder.resolve("journal"));
        try (Scheduler scheduler = Scheduler.start(config);
                Server server = Server.start(ServerConfig.of("127.0.0.1", scheduler.port())
                        .withMapped(folder.resolve("mapped"))
                        .withCheckpoints(folder.resolve("checkpoints/of/servers")));
                Client client = Client.connect(WorkerConfig.of("127.0.0.1", scheduler.port()))) {
            assertThat(server.port()).isPositive();
            work.accept(client);
        }
    }

    private static TensorId table(Client client) {
        return Tensors.init(client, TensorSpec.table("w", 100, 4).optimizer(Optimizers.adam(.1f)));
    }

    private static List<Path> openToOthers(Path below) {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(path -> !path.equals(below))
                    .filter(FileModesTest::isOpenToOthers)
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isOpenToOthers(Path path) {
        try {
            return Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).stream()
                    .anyMatch(OF_OTHERS::contains);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theOwnerAloneMayReadWhatPsfWrites() throws Exception {
        Files.delete(victim);
        Path exports = Files.createDirectory(folder.resolve("exports"));
        Files.setPosixFilePermissions(
                exports,
                Set.of(
                        PosixFilePermission.OWNER_READ,
                        PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.OWNER_EXECUTE));
        withService(client -> {
            TensorId w = table(client);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(client, "model");
            checkpoints.save(1, Map.of());
            Tensors.pushRows(client, w, new long[] {3}, new float[4]).await();
            checkpoints.save(2, Map.of()); // an increment
            Npy.save(client, w, exports.resolve("w.npy"));
            Safetensors.save(client, exports.resolve("w.safetensors"), w);
            assertThat(folder.resolve("checkpoints")).isNotEmptyDirectory();
            assertThat(folder.resolve("journal")).isNotEmptyDirectory();
            assertThat(folder.resolve("mapped")).isNotEmptyDirectory();
            assertThat(exports.toFile().list()).hasSize(2);
            assertThat(openToOthers(folder)).isEmpty();
        });
    }

    @Test
    void linksInTheWayOfExportsAreNotFollowed() throws Exception {
        for (String name : List.of("w.npy", "w.safetensors")) {
            Files.createSymbolicLink(folder.resolve(name + ".unfinished"), victim);
        }
        withService(client -> {
            TensorId w = table(client);
            refused(() -> Npy.save(client, w, folder.resolve("w.npy")));
            refused(() -> Safetensors.save(client, folder.resolve("w.safetensors"), w));
        });
        assertThat(victim).hasContent("of another program");
    }

    private static void refused(Runnable save) {
        PsException refusal = catchThrowableOfType(PsException.class, save::run);
        assertThat(refusal.code()).isEqualTo(PsException.Code.STORAGE);
        assertThat(refusal).hasMessageContaining("a symbolic link");
    }

    @Test
    void aLinkInThePlaceOfAJournalsFilesIsNotWrittenThrough() throws Exception {
        Path journal = Files.createDirectory(folder.resolve("journal"));
        Files.createSymbolicLink(journal.resolve("scheduler.lock"), victim);
        assertThat(catchThrowableOfType(PsException.class, () -> withService(client -> table(client)))
                        .getMessage())
                .contains("PSF_JOURNAL");
        assertThat(victim).hasContent("of another program");
    }

    @Test
    void linksInTheWayOfACheckpointAreNotWrittenThrough() throws Exception {
        Path model = Files.createDirectories(folder.resolve("checkpoints/of/servers/model"));
        Files.createSymbolicLink(model.resolve("lock"), victim);
        withService(client -> {
            table(client);
            assertThat(catchThrowableOfType(
                                    PsException.class,
                                    () -> ModelCheckpoints.at(client, "model").save(1, Map.of()))
                            .code())
                    .isEqualTo(PsException.Code.STORAGE);
        });
        assertThat(victim).hasContent("of another program");
    }

    /**
     * In a directory that others may write to, a link may be one of theirs: to forged rows, or to where rows would be
     * written.
     */
    @Test
    void aLinkInThePlaceOfAFolderOfACheckpointIsNotFollowed() throws Exception {
        Path root = Files.createDirectories(folder.resolve("checkpoints/of/servers"));
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.createSymbolicLink(root.resolve("model"), elsewhere);
        Files.createDirectory(root.resolve("other"));
        Files.createSymbolicLink(root.resolve("other/step-000000000001"), elsewhere);
        withService(client -> {
            table(client);
            for (String model : List.of("model", "other")) {
                refused(() -> ModelCheckpoints.at(client, model).save(1, Map.of()));
            }
            refused(() -> ModelCheckpoints.at(client, "model").loadLatest());
        });
        assertThat(elsewhere).isEmptyDirectory();
    }

    /** A peer that names a file of its own would learn of any file whether it is there, its length and its checksum. */
    @Test
    void theNameOfACheckpointIsAPathBelowTheDirectory() {
        withService(client -> {
            TensorId w = table(client);
            for (String name : List.of(
                    "..",
                    "../up",
                    "a/../../up",
                    "/tmp/up",
                    "a/",
                    "a//b",
                    ".hidden",
                    "-rf",
                    "a\\b",
                    "a\0b",
                    "a\nb",
                    "",
                    "x".repeat(201))) {
                PsException refusal = catchThrowableOfType(PsException.class, () -> Tensors.save(client, w, name));
                assertThat(refusal.code()).as(name).isEqualTo(PsException.Code.BAD_REQUEST);
                assertThat(refusal).hasMessageContaining("(expected: a name below the server's directory");
            }
        });
        assertThat(folder.resolve("checkpoints/of/servers")).isEmptyDirectory();
    }
}

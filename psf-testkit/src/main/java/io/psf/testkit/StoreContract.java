package io.psf.testkit;

import io.psf.api.spi.CheckpointStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * A check of the promises of {@link CheckpointStore}, on a place without files. For the test of a store.
 *
 * <pre>{@code
 * StoreContract.check(new FolderStore(folder), new FolderStore(folder));
 * }</pre>
 */
public final class StoreContract {
    private final CheckpointStore here;
    private final CheckpointStore there;

    private StoreContract(CheckpointStore here, CheckpointStore there) {
        this.here = here;
        this.there = there;
    }

    /**
     * Checks a store.
     *
     * @param here the store as one server has it
     * @param there the store as another one has it: another object for the same place
     * @throws AssertionError if a promise is broken
     * @throws IOException if the store fails
     */
    public static void check(CheckpointStore here, CheckpointStore there) throws IOException {
        StoreContract contract = new StoreContract(here, there);
        here.prepare();
        there.prepare();
        contract.checkNothing();
        contract.checkFiles();
        contract.checkUnfinished();
        contract.checkPublished();
        contract.checkDeleted();
        contract.checkNames();
        contract.checkLocks();
    }

    private void checkNothing() throws IOException {
        require(here.list("").isEmpty(), "a place without files has entries");
        require(here.list("none").isEmpty(), "a folder that is not there has entries");
        requireNone("none/file");
        here.delete("none/file");
        here.delete("none");
    }

    private void requireNone(String name) throws IOException {
        requireFailure(NoSuchFileException.class, () -> there.file(name), name);
        requireFailure(
                NoSuchFileException.class,
                () -> {
                    try (SeekableByteChannel channel = there.read(name)) {
                        return channel.size();
                    }
                },
                name);
    }

    private void checkFiles() throws IOException {
        byte[] bytes = new byte[3 << 20];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 11));
        }
        try (CheckpointStore.NewFile file = here.create("m/step-1/large.pack")) {
            for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
                ByteBuffer some = rest.slice(rest.position(), Math.min(100_001, rest.remaining()));
                rest.position(rest.position() + file.write(some));
            }
            file.end();
            file.finish();
        }
        require(there.file("m/step-1/large.pack").bytes() == bytes.length, "length of a finished file");
        require(there.file("m/step-1/large.pack").equals(there.file("m/step-1/large.pack")), "entry of the same file");
        try (SeekableByteChannel file = there.read("m/step-1/large.pack")) {
            require(file.size() == bytes.length, "size of a finished file");
            for (int at : new int[] {2_000_000, 5, 0, bytes.length - 7}) {
                int length = Math.min(1000, bytes.length - at);
                file.position(at);
                byte[] read = Channels.newInputStream(file).readNBytes(length);
                require(Arrays.equals(read, Arrays.copyOfRange(bytes, at, at + length)), "bytes at " + at);
            }
            file.position(bytes.length);
            require(file.read(ByteBuffer.allocate(1)) == -1, "a byte after the end");
        }
        try (CheckpointStore.NewFile empty = here.create("m/step-1/empty.pack")) {
            empty.end();
            empty.finish();
        }
        require(there.file("m/step-1/empty.pack").bytes() == 0, "length of an empty file");
        require(
                names("").equals(Set.of("m/"))
                        && names("m").equals(Set.of("step-1/"))
                        && names("m/step-1").equals(Set.of("large.pack", "empty.pack")),
                "entries of folders: " + names("m") + ", " + names("m/step-1"));
    }

    private Set<String> names(String folder) throws IOException {
        return there.list(folder).stream()
                .map(each -> each.name() + (each.isFolder() ? "/" : ""))
                .collect(Collectors.toSet());
    }

    private void checkUnfinished() throws IOException {
        try (CheckpointStore.NewFile file = here.create("m/step-2/broken.pack")) {
            file.write(ByteBuffer.wrap(new byte[100_000]));
            file.end();
        }
        requireNone("m/step-2/broken.pack");
        require(!names("m/step-2").contains("broken.pack"), "a file that was not finished is there");
    }

    private void checkPublished() throws IOException {
        here.publish("m/step-1/model", bytes("first"));
        CheckpointStore.Entry first = there.file("m/step-1/model");
        require(text("m/step-1/model").equals("first"), "text that was published");
        requireFailure(
                FileAlreadyExistsException.class,
                () -> {
                    there.publish("m/step-1/model", bytes("another"));
                    return "published";
                },
                "m/step-1/model");
        require(text("m/step-1/model").equals("first"), "text after another publication");
        there.delete("m/step-1/model");
        there.publish("m/step-1/model", bytes("second, and longer"));
        require(text("m/step-1/model").equals("second, and longer"), "text that was published again");
        require(!here.file("m/step-1/model").equals(first), "entry of a file that was written again: equal");
        require(
                names("m/step-1").equals(Set.of("large.pack", "empty.pack", "model")),
                "entries after a publication: " + names("m/step-1"));
    }

    private void checkDeleted() throws IOException {
        here.delete("m/step-1");
        require(names("m/step-1").size() == 3, "a folder with files is deleted");
        for (String each : List.of("large.pack", "empty.pack", "model")) {
            here.delete("m/step-1/" + each);
            requireNone("m/step-1/" + each);
        }
        here.delete("m/step-1");
        require(!names("m").contains("step-1/"), "a folder that was deleted is there");
    }

    private void checkNames() throws IOException {
        for (String name : List.of(
                "", "/", "/m", "m/", "m//a", "..", "m/../a", "m/./a", "m\\a", "m\0", "m\na", "~é", "m/ a", "*")) {
            requireFailure(IOException.class, () -> here.file(name), name);
            requireFailure(IOException.class, () -> here.read(name), name);
            requireFailure(IOException.class, () -> here.create(name), name);
            if (!name.isEmpty()) {
                requireFailure(IOException.class, () -> here.list(name), name);
            }
            publishRefused(name);
        }
    }

    private void publishRefused(String name) throws IOException {
        requireFailure(
                IOException.class,
                () -> {
                    here.publish(name, bytes("forged"));
                    return name;
                },
                name);
        requireFailure(
                IOException.class,
                () -> {
                    here.delete(name);
                    return name;
                },
                name);
    }

    private void checkLocks() throws IOException {
        try (Closeable lock = here.lock("m/lock", bytes("here"))) {
            require(lock != null, "the first lock is refused");
            require(there.lock("m/lock", bytes("there")) == null, "a second lock is given");
            require(text("m/lock").endsWith("here"), "text of a lock");
        } catch (UnsupportedOperationException none) {
            return; // the promise of a store that says so
        }
        try (Closeable lock = there.lock("m/lock", bytes("there"))) {
            require(lock != null, "a lock is refused after the first was closed");
            require(text("m/lock").endsWith("there"), "text of the second lock");
        }
    }

    private String text(String name) throws IOException {
        try (SeekableByteChannel file = there.read(name)) {
            return new String(Channels.newInputStream(file).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void requireFailure(Class<? extends IOException> type, Callable<?> call, String name)
            throws IOException {
        try {
            Object result = call.call();
            throw new AssertionError("name \"" + name + "\": " + result + " (expected: " + type.getSimpleName() + ")");
        } catch (IOException e) {
            require(type.isInstance(e), "name \"" + name + "\": " + e + " (expected: " + type.getSimpleName() + ")");
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void require(boolean kept, String what) {
        if (!kept) {
            throw new AssertionError(what + " (expected: as CheckpointStore says)");
        }
    }
}

package io.psf.runtime.internal.transport.shm;

import io.psf.api.Names;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of segments: their directories, names and owners. */
final class SegmentFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentFiles.class);
    private static final Pattern NAME = Pattern.compile("psf-[0-9a-f]{32}");
    private static final Pattern OURS = Pattern.compile("psf-[0-9a-f]{32}(\\.user)?");

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    /** The attribute of a file that only its owner can access. */
    static final FileAttribute<Set<PosixFilePermission>> AS_OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(OWNER_ONLY);

    private static final SecureRandom RANDOM = new SecureRandom();

    private SegmentFiles() {}

    /** Returns a path that does not exist yet, with a name that cannot be guessed. */
    static Path newPath() {
        return directories().get(0).resolve("psf-" + HexFormat.of().formatHex(random()));
    }

    /** Deletes the files of this user whose processes were killed before they had linked. */
    static void deleteAbandoned() {
        for (Path directory : directories()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, SegmentFiles::isOurs)) {
                files.forEach(HeldFile::deleteIfAbandoned);
            } catch (IOException | DirectoryIteratorException e) {
                LOG.debug("deleting abandoned files in {}: {}", directory, e.toString());
            }
        }
    }

    private static boolean isOurs(Path file) {
        return OURS.matcher(file.getFileName().toString()).matches();
    }

    /** Returns 16 bytes that cannot be guessed. */
    static byte[] random() {
        byte[] bytes = new byte[SharedSegment.TOKEN_BYTES];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Returns the file with that name. The name may come from any peer, so it is checked. */
    static Path find(String name) throws IOException {
        if (!NAME.matcher(name).matches()) {
            String shown = name.length() <= 64 ? name : name.substring(0, 64) + "..";
            throw new IOException(
                    "name of a shared segment: \"" + Names.printable(shown) + "\" (expected: " + NAME + ")");
        }
        for (Path directory : directories()) {
            Path file = directory.resolve(name);
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return file;
            }
        }
        throw new NoSuchFileException("shared segment " + name + ": none (expected: in " + directories() + ")");
    }

    /** Opens a file after checking that only this user can have created it and can have put it there. */
    static FileChannel open(Path file) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        require(attributes.isRegularFile(), "kind of " + file, "a link or the like", "a regular file");
        UserPrincipal user = user(file);
        require(attributes.owner().equals(user), "owner of " + file, attributes.owner(), user);
        require(
                attributes.permissions().equals(OWNER_ONLY),
                "permissions of " + file,
                PosixFilePermissions.toString(attributes.permissions()),
                PosixFilePermissions.toString(OWNER_ONLY));
        // no other user can replace the file from here on: in a directory for all users, only the owner may
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Returns the owner of files of this process, by creating one: the user name that the JVM reports may be another.
     */
    private static UserPrincipal user(Path sibling) throws IOException {
        Path mine = sibling.resolveSibling("psf-" + HexFormat.of().formatHex(random()) + ".user");
        try (HeldFile held = HeldFile.create(mine, 0)) {
            return Files.getOwner(held.path());
        }
    }

    /** Returns the directories for segments, the best first. */
    private static List<Path> directories() {
        Path memory = Path.of("/dev/shm");
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        return Files.isDirectory(memory) && Files.isWritable(memory) ? List.of(memory, temporary) : List.of(temporary);
    }

    static void require(boolean holds, String what, Object given, Object expected) throws IOException {
        if (!holds) {
            throw new IOException(what + ": " + given + " (expected: " + expected + ")");
        }
    }
}

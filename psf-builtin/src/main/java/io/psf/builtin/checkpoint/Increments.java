package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves of a shard that later ones can build on. The file has the hashes of its rows. If an earlier save has files of
 * the same range, the rows whose hashes differ from theirs are written, and the earlier files are linked into the new
 * folder. Nothing is held in memory between two saves, so a server that was restarted, or has loaded another checkpoint,
 * writes a right increment, too.
 */
final class Increments {
    private static final Logger LOG = LoggerFactory.getLogger(Increments.class);

    /** The most keys that are read together. */
    private static final int MOST = 4096;

    private final StoredShard shard;
    private final Header now;
    private final long[] hashes;
    /** The rows whose content is that of the earlier save. */
    private final BitSet same = new BitSet();
    /** The files of the earlier save, in the folder of this one. */
    private List<Path> linked = List.of();
    /** The keys that have a row in the earlier save and none now. */
    private final Set<Long> removed = new HashSet<>();

    private Increments(StoredShard shard, Header now, long[] hashes) {
        this.shard = shard;
        this.now = now;
        this.hashes = hashes;
    }

    /**
     * Writes the file of a shard: an increment if there is a base, if its files have less than the largest number of
     * increments, and if at most half of the rows have changed.
     *
     * @throws PsException with {@code STORAGE} naming the file and the reason
     */
    static Piece write(Folder folder, SaveTensor.Request request, StoredShard shard) {
        Header header = Header.of(request.save(), shard);
        long[] hashes;
        try {
            hashes = RowHashes.of(shard, header);
        } catch (IOException e) {
            throw Folder.failure("attachments of tensor \"" + request.tensor() + "\"", e);
        }
        Increments increments = new Increments(shard, header, hashes);
        FileRows changed = request.base().isEmpty() ? null : increments.since(folder, request);
        Piece written = ShardFile.write(folder, header, shard, changed == null ? FileRows.all(hashes) : changed);
        List<Path> files = new ArrayList<>(increments.linked);
        files.add(written.file(folder));
        VerifiedFiles.of(shard).replace(files);
        return written;
    }

    /** Returns the rows that have changed since the base; null if all rows are to be written. */
    private @Nullable FileRows since(Folder folder, SaveTensor.Request request) {
        try {
            Folder old = Folder.of(shard.checkpoints(), request.base(), request.tensor());
            Manifest base = Manifest.read(old, request.base(), request.tensor());
            Chain chain = base.chain(shard.range()).orElse(null);
            if (base.save() != request.baseSave()
                    || chain == null
                    || chain.pieces().size() > request.increments()) {
                return null;
            }
            requireWhole(old, base, chain);
            if (!read(old, chain)) {
                return null;
            }
            BitSet changed = new BitSet(hashes.length);
            changed.set(0, hashes.length);
            changed.andNot(same);
            if (changed.cardinality() > hashes.length / 2) {
                return null;
            }
            linked = link(old, chain, folder);
            long[] keys = removed.stream().mapToLong(Long::longValue).sorted().toArray();
            return FileRows.changed(chain.pieces().size(), hashes, keys, changed);
        } catch (IOException | PsException | UnsupportedOperationException e) {
            LOG.warn(
                    "tensor \"{}\", rows {}: all are saved, since nothing can build on checkpoint \"{}\": {}",
                    request.tensor(),
                    shard.range(),
                    request.base(),
                    e instanceof PsException known ? known.detail() : e);
            return null;
        }
    }

    /**
     * Reads the files of a chain as a load does, unless this server has: a save that builds on a damaged file would be
     * acknowledged and could not be loaded.
     *
     * @throws PsException with {@code STORAGE} if a file is damaged
     */
    private void requireWhole(Folder old, Manifest base, Chain chain) throws IOException {
        VerifiedFiles known = VerifiedFiles.of(shard);
        List<Path> files = chain.pieces().stream().map(piece -> piece.file(old)).toList();
        if (!known.hasAll(files)) {
            var unused = ShardFiles.verified(old, base, shard);
        }
    }

    /** Compares the rows with the hashes in the files of a chain. Returns false if no increment can follow the chain. */
    private boolean read(Folder old, Chain chain) throws IOException {
        for (Piece piece : chain.pieces()) {
            Path path = piece.file(old);
            try (BufferedFile keys = new BufferedFile(path);
                    BufferedFile then = new BufferedFile(path)) {
                Header.require("bytes", keys.size(), piece.bytes());
                Header header = Header.read(keys);
                header.requireOf(header.tensor(), piece);
                if (!header.form().hashed() || !precedes(header)) {
                    return false;
                }
                then.seek(keys.position() + header.bytesBeforeHashes());
                compare(header, keys, then);
                remove(header, keys);
            }
        }
        return true;
    }

    /** Returns true if the shard has everything that the file has of a row: an increment does not remove a slot. */
    private boolean precedes(Header header) {
        return header.tensor().shape().equals(now.tensor().shape())
                && header.optimizer().equals(now.optimizer())
                && now.slots().containsAll(header.slots());
    }

    private void compare(Header header, BufferedFile keys, BufferedFile then) throws IOException {
        long[] some = new long[MOST];
        int[] rows = new int[MOST];
        for (long at = 0; at < header.rows(); at += MOST) {
            int n = (int) Math.min(MOST, header.rows() - at);
            for (int i = 0; i < n; i++) {
                some[i] = header.hasKeys() ? keys.i64() : header.begin() + at + i;
            }
            var unused = shard.find(LongArray.wrap(some, 0, n), rows);
            for (int i = 0; i < n; i++) {
                long hash = then.i64();
                if (rows[i] >= 0) {
                    same.set(rows[i], hash == hashes[rows[i]]);
                } else {
                    removed.add(some[i]);
                }
            }
        }
    }

    private void remove(Header header, BufferedFile keys) throws IOException {
        for (long i = 0; i < header.form().removed(); i++) {
            long key = keys.i64();
            removed.remove(key);
            int row = shard.find(key);
            if (row >= 0) {
                same.clear(row);
            }
        }
    }

    /** Links the files of a chain into a folder. Returns the links. */
    private static List<Path> link(Folder old, Chain chain, Folder folder) throws IOException {
        Files.createDirectories(folder.path());
        List<Path> linked = new ArrayList<>();
        try {
            for (Piece piece : chain.pieces()) {
                Files.createLink(piece.file(folder), piece.file(old));
                linked.add(piece.file(folder));
            }
        } catch (IOException | UnsupportedOperationException e) {
            for (Path each : linked) {
                Files.deleteIfExists(each);
            }
            throw e;
        }
        return linked;
    }
}

package io.psf.api.spi;

import io.psf.api.Checkpointed;
import io.psf.api.PsException;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import io.psf.api.array.LongArray;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * What functions keep beside a shard, and what of it is saved and loaded: the attachments that are {@link Checkpointed}.
 * What has been loaded waits as bytes until somebody asks for the attachment. Used on the shard's lane.
 */
public final class Attachments {
    private final Shard shard;
    private final Map<Class<?>, Object> made = new LinkedHashMap<>(2);
    /** Seldom any. */
    private Map<String, List<Entry>> loaded = Map.of();

    /** No attachments yet, of a shard. */
    public Attachments(Shard shard) {
        this.shard = shard;
    }

    /**
     * A part of an attachment as it is saved.
     *
     * @param key the row's key, or the beginning of the range of the shard whose total it is
     * @param total whether it is a shard's total
     * @param bytes what {@link Checkpointed} wrote
     */
    @SuppressWarnings("ArrayRecordComponent") // carried, not compared
    public record Entry(long key, boolean total, byte[] bytes) {}

    /** Takes the parts of an attachment one after the other. */
    @FunctionalInterface
    public interface Sink {
        /** Takes a part. */
        void take(Entry entry) throws IOException;
    }

    /** Those that have been made and asked for. */
    public Collection<Object> all() {
        return List.copyOf(made.values());
    }

    /**
     * The attachment of a type, made when first asked for, and given what has been loaded of it.
     *
     * @throws PsException with {@code STORAGE} if what has been loaded is not what the attachment reads
     */
    public <T> T get(Class<T> type, Supplier<? extends T> factory) {
        Object attachment = made.get(type);
        if (attachment == null) {
            attachment = factory.get();
            List<Entry> entries = loaded.get(type.getName());
            if (entries != null) {
                load(type, attachment, entries);
                loaded.remove(type.getName());
            }
            made.put(type, attachment);
        }
        return type.cast(attachment);
    }

    private static void load(Class<?> type, Object attachment, List<Entry> entries) {
        if (!(attachment instanceof Checkpointed state)) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "attachment " + type.getName() + ": has been loaded (expected: a class that is Checkpointed, as it"
                            + " was when it was saved)");
        }
        for (Entry entry : entries) {
            ByteArrayInputStream bytes = new ByteArrayInputStream(entry.bytes());
            try {
                if (entry.total()) {
                    state.loadTotal(new DataInputStream(bytes));
                } else {
                    state.loadRow(entry.key(), new DataInputStream(bytes));
                }
                if (bytes.available() > 0) {
                    throw new IOException("left over " + bytes.available() + " bytes");
                }
            } catch (IOException e) {
                throw new PsException(
                        PsException.Code.STORAGE,
                        "attachment " + type.getName() + ": reading "
                                + (entry.total() ? "a total" : "row " + entry.key()) + " of "
                                + entry.bytes().length + " bytes: " + e + " (expected: all that it wrote when it was"
                                + " saved)",
                        e);
            }
        }
    }

    /** The names of those that are saved, in their order. */
    public Set<String> saved() {
        Set<String> names = new TreeSet<>(loaded.keySet());
        made.forEach((type, attachment) -> {
            if (attachment instanceof Checkpointed) {
                names.add(type.getName());
            }
        });
        return names;
    }

    /**
     * Gives all parts of an attachment.
     *
     * @param name one of {@link #saved}
     * @throws IOException what the attachment or the sink throws
     */
    public void save(String name, Sink sink) throws IOException {
        for (Entry entry : loaded.getOrDefault(name, List.of())) {
            sink.take(entry);
        }
        for (Map.Entry<Class<?>, Object> each : made.entrySet()) {
            if (each.getKey().getName().equals(name) && each.getValue() instanceof Checkpointed state) {
                save(state, sink);
            }
        }
    }

    private void save(Checkpointed state, Sink sink) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (int row = 0; row < shard.rows(); row++) {
            long key = shard.key(row);
            state.saveRow(key, out);
            take(key, false, bytes, sink);
        }
        state.saveTotal(out);
        take(shard.range().begin(), true, bytes, sink);
    }

    private static void take(long key, boolean total, ByteArrayOutputStream bytes, Sink sink) throws IOException {
        if (bytes.size() > 0) {
            sink.take(new Entry(key, total, bytes.toByteArray()));
            bytes.reset();
        }
    }

    /** Tells those that have been made that a row is no more ({@link RowListener#rowRemoved}). */
    public void rowRemoved(long key, int row, int last) {
        for (Object each : made.values()) {
            if (each instanceof RowListener listener) {
                listener.rowRemoved(key, row, last);
            }
        }
    }

    /** Forgets what has been loaded of rows and not been asked for yet: their keys have been removed. */
    public void forget(LongArray keys) {
        if (!loaded.isEmpty()) {
            Set<Long> gone = new HashSet<>();
            for (int i = 0; i < keys.length(); i++) {
                gone.add(keys.get(i));
            }
            loaded.values().forEach(each -> each.removeIf(entry -> !entry.total() && gone.contains(entry.key())));
        }
    }

    /** All rows are no more: tells those that have been made, and forgets what has been loaded of rows. */
    public void rowsRemoved() {
        loaded.values().forEach(each -> each.removeIf(entry -> !entry.total()));
        for (Object each : made.values()) {
            if (each instanceof RowListener listener) {
                listener.rowsRemoved();
            }
        }
    }

    /** Puts what has been loaded in the place of everything that is {@link Checkpointed}. */
    public void replace(Map<String, List<Entry>> states) {
        made.values().removeIf(Checkpointed.class::isInstance);
        loaded = new LinkedHashMap<>();
        states.forEach((name, entries) -> loaded.put(name, new ArrayList<>(entries)));
    }
}

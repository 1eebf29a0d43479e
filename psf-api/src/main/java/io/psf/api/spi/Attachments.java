package io.psf.api.spi;

import io.psf.api.Checkpointed;
import io.psf.api.Measured;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.PsException;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import io.psf.api.array.LongArray;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The attachments of a shard's functions. Those that are {@link Checkpointed} are saved and loaded with the shard.
 * Loaded state is held as bytes until a function requests the attachment. Used on the shard's lane.
 */
public final class Attachments {
    private final Shard shard;
    private final Consumer<String> permit;
    /** The attachments by type. Empty until the first is requested: many shards have none. */
    private Map<Class<?>, Object> made = Map.of();
    /** The loaded entries by attachment name; usually empty. */
    private Map<String, List<Entry>> loaded = Map.of();

    /** Creates an empty set of attachments for a shard. */
    public Attachments(Shard shard) {
        this(shard, what -> {});
    }

    /**
     * Creates an empty set of attachments for a shard.
     *
     * @param permit called before an attachment is created that was not loaded, with its name; throws if the function
     *     that runs is read-only
     */
    public Attachments(Shard shard, Consumer<String> permit) {
        this.shard = shard;
        this.permit = permit;
    }

    /**
     * A part of a saved attachment.
     *
     * @param key the row's key; for a total, the beginning of the range of the shard that saved it; if this shard does
     *     not have that, another one loads the total
     * @param total true if the part is a shard's total
     * @param bytes the bytes that {@link Checkpointed} wrote
     */
    @SuppressWarnings("ArrayRecordComponent") // entries are not compared
    public record Entry(long key, boolean total, byte[] bytes) {}

    /** Receives the parts of an attachment one after the other. */
    @FunctionalInterface
    public interface Sink {
        /** Receives a part. */
        void take(Entry entry) throws IOException;
    }

    /** Returns the bytes of the attachments that have been created and are {@link Measured}. */
    public long bytes() {
        long bytes = 0;
        for (Object each : made.values()) {
            if (each instanceof Measured measured) {
                bytes += measured.bytes();
            }
        }
        return bytes;
    }

    /** Returns the attachments that have been created. */
    public Collection<Object> all() {
        return List.copyOf(made.values());
    }

    /**
     * Returns the attachment of a type. On the first request it is created, and its loaded state is passed to it.
     *
     * @throws PsException with {@code STORAGE} if the attachment does not read the loaded state completely
     */
    public <T> T get(Class<T> type, Supplier<? extends T> factory) {
        Object attachment = made.get(type);
        if (attachment == null) {
            List<Entry> entries = loaded.get(type.getName());
            if (entries == null) {
                permit.accept("attachment " + type.getName());
            }
            attachment = factory.get();
            if (entries != null) {
                load(type, attachment, entries);
                loaded.remove(type.getName());
            }
            if (made.isEmpty()) {
                made = new LinkedHashMap<>(2);
            }
            made.put(type, attachment);
        }
        return type.cast(attachment);
    }

    /** Returns the attachment of a type if it has been created or loaded. Its loaded state is passed to it. */
    public <T> Optional<T> find(Class<T> type, Supplier<? extends T> factory) {
        return made.containsKey(type) || loaded.containsKey(type.getName())
                ? Optional.of(get(type, factory))
                : Optional.empty();
    }

    private void load(Class<?> type, Object attachment, List<Entry> entries) {
        if (!(attachment instanceof Checkpointed state)) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "attachment " + type.getName() + ": not Checkpointed, but the checkpoint has its state"
                            + " (expected: a class that implements Checkpointed)");
        }
        for (Entry entry : entries) {
            ByteArrayInputStream bytes = new ByteArrayInputStream(entry.bytes());
            try {
                if (isOfOther(entry)) {
                    state.loadOverlappingTotal(new DataInputStream(bytes));
                    continue;
                } else if (entry.total()) {
                    state.loadTotal(new DataInputStream(bytes));
                } else {
                    state.loadRow(entry.key(), new DataInputStream(bytes));
                }
                if (bytes.available() > 0) {
                    throw new IOException("bytes not read: " + bytes.available());
                }
            } catch (IOException e) {
                throw new PsException(
                        PsException.Code.STORAGE,
                        "attachment " + type.getName() + ": reading "
                                + (entry.total() ? "a total" : "row " + entry.key()) + " of "
                                + entry.bytes().length + " bytes: " + e + " (expected: to read exactly the bytes"
                                + " that were saved)",
                        e);
            }
        }
    }

    /** Returns true if an entry is a total that another shard loads. */
    private boolean isOfOther(Entry entry) {
        return entry.total() && !shard.range().contains(entry.key());
    }

    /** Returns the names of the attachments that are saved, sorted. */
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
     * Returns the names of the attachments that have been created and save the state of rows. One that has only been
     * loaded has not changed since.
     */
    public Set<String> savedByRow() {
        Set<String> names = new TreeSet<>();
        made.forEach((type, attachment) -> {
            if (attachment instanceof Checkpointed && savesRows(attachment.getClass())) {
                names.add(type.getName());
            }
        });
        return names;
    }

    /** True if the shard is told of each change of a row's state: {@link Checkpointed#tellsChanges}. */
    public boolean tellChanges() {
        return made.values().stream()
                .allMatch(each ->
                        !(each instanceof Checkpointed state) || state.tellsChanges() || !savesRows(each.getClass()));
    }

    private static boolean savesRows(Class<?> type) {
        try {
            return type.getMethod("saveRow", long.class, DataOutput.class).getDeclaringClass() != Checkpointed.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e); // the interface has it
        }
    }

    /**
     * Passes all parts of an attachment to a sink.
     *
     * @param name one of {@link #saved}
     * @throws IOException if the attachment or the sink throws it
     */
    public void save(String name, Sink sink) throws IOException {
        save(name, null, sink);
    }

    /**
     * Passes parts of an attachment to a sink: those of some rows, and the total.
     *
     * @param name one of {@link #saved}
     * @param rows a bit for each row, by its number; null for all
     * @throws IOException if the attachment or the sink throws it
     */
    public void save(String name, @Nullable BitSet rows, Sink sink) throws IOException {
        for (Entry entry : loaded.getOrDefault(name, List.of())) {
            if (entry.total() ? !isOfOther(entry) : rows == null || has(rows, entry.key())) {
                sink.take(entry);
            }
        }
        for (Map.Entry<Class<?>, Object> each : made.entrySet()) {
            if (each.getKey().getName().equals(name) && each.getValue() instanceof Checkpointed state) {
                save(state, rows, sink);
            }
        }
    }

    private boolean has(BitSet rows, long key) {
        int row = shard.find(key);
        return row >= 0 && rows.get(row);
    }

    private void save(Checkpointed state, @Nullable BitSet rows, Sink sink) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int count = shard.rows();
        for (int row = next(rows, 0); row >= 0 && row < count; row = next(rows, row + 1)) {
            long key = shard.key(row);
            state.saveRow(key, out);
            take(key, false, bytes, sink);
        }
        state.saveTotal(out);
        take(shard.range().begin(), true, bytes, sink);
    }

    private static int next(@Nullable BitSet rows, int row) {
        return rows == null ? row : rows.nextSetBit(row);
    }

    private static void take(long key, boolean total, ByteArrayOutputStream bytes, Sink sink) throws IOException {
        if (bytes.size() > 0) {
            sink.take(new Entry(key, total, bytes.toByteArray()));
            bytes.reset();
        }
    }

    /** Notifies the created attachments of the current members ({@link MemberListener}). */
    public void membersChanged(List<Member> members) {
        for (Object each : List.copyOf(made.values())) {
            if (each instanceof MemberListener listener) {
                listener.membersChanged(members);
            }
        }
    }

    /**
     * True if {@link #rowRemoved} or {@link #forget} has an effect: else a shard need not know which rows it removes.
     */
    public boolean followRows() {
        return !loaded.isEmpty() || made.values().stream().anyMatch(RowListener.class::isInstance);
    }

    /** Notifies the created attachments that a row was removed ({@link RowListener#rowRemoved}). */
    public void rowRemoved(long key, int row, int last) {
        for (Object each : made.values()) {
            if (each instanceof RowListener listener) {
                listener.rowRemoved(key, row, last);
            }
        }
    }

    /** Discards the loaded state of removed rows for attachments that have not been requested yet. */
    public void forget(LongArray keys) {
        if (!loaded.isEmpty()) {
            Set<Long> gone = new HashSet<>();
            for (int i = 0; i < keys.length(); i++) {
                gone.add(keys.get(i));
            }
            loaded.values().forEach(each -> each.removeIf(entry -> !entry.total() && gone.contains(entry.key())));
        }
    }

    /** Notifies the created attachments that all rows were removed, and discards the loaded state of rows. */
    public void rowsRemoved() {
        loaded.values().forEach(each -> each.removeIf(entry -> !entry.total()));
        for (Object each : made.values()) {
            if (each instanceof RowListener listener) {
                listener.rowsRemoved();
            }
        }
    }

    /** Replaces all {@link Checkpointed} attachments by loaded state. */
    public void replace(Map<String, List<Entry>> states) {
        if (!made.isEmpty()) {
            made.values().removeIf(Checkpointed.class::isInstance);
        }
        loaded = new LinkedHashMap<>();
        states.forEach((name, entries) -> loaded.put(name, new ArrayList<>(entries)));
    }
}

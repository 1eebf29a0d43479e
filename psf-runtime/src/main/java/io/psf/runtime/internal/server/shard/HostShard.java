package io.psf.runtime.internal.server.shard;

import io.psf.api.ShardBytes;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowFloats;
import io.psf.api.array.RowWrites;
import io.psf.api.spi.KeySketch;
import io.psf.api.spi.StoredColumn;
import io.psf.runtime.spi.shard.ServerShard;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A shard in the server's own memory, off the heap. Handlers name its interfaces. */
public final class HostShard extends ServerShard {
    private final ShardRows rows;
    /** Counts the keys of calls; null unless somebody asks for them. */
    private @Nullable KeySketch keys;

    HostShard(Slice slice, Store store, ShardLane lane) {
        super(slice, lane);
        this.rows = new ShardRows(slice, store);
    }

    @Override
    public void giveUp() {
        rows.giveUp();
    }

    @Override
    public int rows() {
        return rows.count();
    }

    @Override
    public int mostRows() {
        return rows.most();
    }

    @Override
    public ShardBytes bytes() {
        return rows.bytes(attachments().bytes());
    }

    @Override
    public void countAttachments(long more) {
        rows.countAttachments(attachments().bytes() + more);
    }

    @Override
    public long key(int row) {
        return rows.key(row);
    }

    @Override
    public FloatArray values() {
        return rows.values();
    }

    @Override
    public int row(long key) {
        return rows.row(key, !lane().isReadOnly());
    }

    @Override
    public int find(long key) {
        return rows.find(key);
    }

    @Override
    public int find(LongArray keys, int[] into) {
        count(keys);
        return rows.find(keys, into);
    }

    @Override
    public void rows(LongArray keys, int[] into) {
        count(keys);
        rows.rows(keys, into, !lane().isReadOnly());
    }

    @Override
    public FloatArray gather(LongArray keys) {
        count(keys);
        return gathered(keys);
    }

    private FloatArray gathered(LongArray keys) {
        int n = Math.multiplyExact(keys.length(), width());
        FloatType storage = spec().types().storage();
        FloatArray gathered = storage.isHalf() ? halves(n, storage) : allocate(n);
        rows.gather(keys, gathered);
        return gathered;
    }

    @Override
    public FloatArray gatherForAnswer(LongArray keys) {
        count(keys);
        int n = keys.length();
        int[] numbers = lane().allocateRows(n);
        if (rows.find(keys, numbers) < n) {
            return gathered(keys); // the initial values of rows that do not exist are in no memory
        }
        rows.load(numbers, n);
        return RowFloats.of(values(), numbers, 0, n, width());
    }

    private void count(LongArray of) {
        KeySketch sketch = keys;
        if (sketch != null) {
            if (sketch.isIdle()) {
                keys = null;
            } else {
                sketch.add(of);
            }
        }
    }

    @Override
    public KeySketch.Counts hotKeys(int most) {
        if (keys == null) {
            keys = new KeySketch();
        }
        return keys.ask(most);
    }

    /** Allocates scratch memory for values of 16 bits, so that rows are copied as they are stored. */
    private FloatArray halves(int n, FloatType type) {
        FloatArray memory = allocate((n + 1) / 2);
        ByteBuffer bytes = memory.offHeap();
        return bytes == null ? allocate(n) : ArrayMemory.view(bytes.limit(n * Short.BYTES), type);
    }

    @Override
    protected void removeAll() {
        rows.clear();
    }

    @Override
    protected int removeSome(LongArray keys) {
        return rows.remove(keys, attachments()::rowRemoved);
    }

    @Override
    protected boolean hasSlot(String name) {
        return rows.hasSlot(name);
    }

    @Override
    public FloatArray slot(String name, int width) {
        requireMayMake(name);
        return rows.slot(name, width);
    }

    @Override
    public RowWrites writes() {
        return rows.writes();
    }

    @Override
    public StoredColumn storedValues() {
        return rows.storedValues();
    }

    @Override
    public Map<String, StoredColumn> storedSlots() {
        return rows.storedSlots();
    }

    @Override
    public StoredColumn storedSlot(String name, int width) {
        requireMayMake(name);
        return rows.storedSlot(name, width);
    }
}

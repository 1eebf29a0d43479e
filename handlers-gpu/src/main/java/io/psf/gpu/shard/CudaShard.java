package io.psf.gpu.shard;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.ShardBytes;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredColumn;
import io.psf.builtin.answer.EncodingShard;
import io.psf.builtin.answer.PoolingShard;
import io.psf.builtin.initializer.GeneratingShard;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.policy.MarkMemory;
import io.psf.builtin.policy.MarkingShard;
import io.psf.builtin.push.Pushes;
import io.psf.gpu.DeviceArray;
import io.psf.gpu.DeviceKernel;
import io.psf.gpu.DeviceShard;
import io.psf.gpu.Grid;
import io.psf.runtime.spi.shard.ServerShard;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A shard in the memory of a device. All of its state belongs to its lane. Handlers name its interfaces. */
public final class CudaShard extends ServerShard
        implements DeviceShard, EncodingShard, PoolingShard, GeneratingShard, MarkingShard {
    private final DeviceLane ofDevice;
    private final Workspace workspace;
    private final ShardMemory memory;
    private final DeviceRows rows;
    private final LookUp lookUp;
    /** The optimizer of the slice. It makes the others. */
    private final DeviceOptimizer first;

    private final DeviceAnswers answers;
    private final HandlerWork handlerWork;
    private final RoundSums sums;
    /** The initial values that are being written; null before and after. */
    private @Nullable FloatArray written;

    private boolean isOnLane;

    CudaShard(Slice slice, DeviceLane ofDevice, ShardMemory memory, ShardLane lane) {
        super(slice, lane);
        this.ofDevice = ofDevice;
        this.workspace = ofDevice.workspace();
        this.memory = memory;
        this.rows = new DeviceRows(slice, memory, ofDevice.pieces());
        this.lookUp = new LookUp(slice, rows, ofDevice.pulls());
        this.first = DeviceOptimizer.of(slice.optimizer(), rows, width(), lookUp::begin);
        stepWith(first);
        this.answers = new DeviceAnswers(slice.tensor(), lane, rows, lookUp, ofDevice.pulls());
        this.handlerWork = new HandlerWork(ofDevice, lane);
        this.sums = new RoundSums(workspace, lane);
    }

    @Override
    public boolean generate(Generator generator) {
        return lookUp.generate(generator);
    }

    @Override
    public void moveToLane() {
        FloatArray initial = written;
        written = null;
        isOnLane = true;
        if (initial != null) {
            storedValues().write(0, initial);
        }
    }

    @Override
    public void giveUp() {
        workspace.device().use();
        memory.freeAll();
        ofDevice.release();
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
        long ofSlots = rows.slots().bytes();
        long ofValues = rows.values().bytes();
        long inIndex = memory.bytes() - ofValues - ofSlots - rows.bytesOfMarks(); // the rest finds rows
        return new ShardBytes(
                ofValues, ofSlots + sums.bytes(), inIndex, attachments().bytes());
    }

    @Override
    public long key(int row) {
        return lookUp.key(row);
    }

    @Override
    public FloatArray values() {
        if (isOnLane) {
            throw onDevice("values");
        }
        FloatArray initial = written;
        if (initial == null) {
            initial = FloatArray.allocate(Math.multiplyExact(rows(), width()));
            written = initial;
        }
        return initial;
    }

    @Override
    public FloatArray values(long key) {
        throw onDevice("values");
    }

    @Override
    public FloatArray valuesForAnswer() {
        return answers.values();
    }

    @Override
    public FloatArray valuesForAnswer(FloatType wire) {
        return answers.values(wire);
    }

    @Override
    public FloatArray gather(LongArray keys) {
        return answers.gather(keys);
    }

    @Override
    public FloatArray gatherForAnswer(LongArray keys, FloatType wire) {
        return answers.gather(keys, wire);
    }

    @Override
    public @Nullable FloatArray sums(LongArray keys, int[] ends, FloatType wire) {
        return answers.sums(keys, ends, wire);
    }

    private PsException onDevice(String what) {
        return new PsException(
                PsException.Code.BAD_REQUEST,
                what + " of tensor \"" + spec().id() + "\": in the memory of " + workspace.device()
                        + " (expected of a function on it: a handler for io.psf.gpu.DeviceShard)");
    }

    @Override
    public int row(long key) {
        int last = lookUp.rowOfLast(key);
        if (last >= 0) {
            return last;
        }
        int[] one = new int[1];
        rows(LongArray.of(key), one);
        return one[0];
    }

    @Override
    public int find(long key) {
        int last = lookUp.rowOfLast(key);
        if (last >= 0) {
            return last;
        }
        int[] one = new int[1];
        find(LongArray.of(key), one);
        return one[0];
    }

    @Override
    public int find(LongArray keys, int[] into) {
        return lookUp.find(keys, into);
    }

    @Override
    public void rows(LongArray keys, int[] into) {
        lookUp.rows(keys, into, !lane().isReadOnly());
    }

    @Override
    protected Optimizer optimizerOfRows(Optimizer onHost) {
        return first.with(onHost);
    }

    @Override
    protected void removeAll() {
        rows.removals().removeAll();
        try {
            finishRemoval();
        } catch (RuntimeException e) {
            attachments().rowsRemoved(); // as below
            throw e;
        }
    }

    private void finishRemoval() {
        rows.operation(kernels -> null);
    }

    @Override
    protected int removeSome(LongArray keys) {
        return remove(keys.length(), (kernels, doom) -> {
            long of = rows.transfers().upload(keys);
            rows.find(
                    kernels,
                    of,
                    keys.length(),
                    rows.transfers().items(keys.length()).address());
            rows.end(keys);
            kernels.removal().doomKeys(of, keys.length(), rows.index().index(), doom);
        });
    }

    private int remove(int most, BiConsumer<Kernels, Doom> choice) {
        Removed removed = rows.removals().remove(choice, most, attachments().followRows());
        try {
            finishRemoval();
        } finally { // a removal that has begun is finished later if this fails: the attachments follow it
            removed.tell(attachments()::rowRemoved, attachments()::forget);
        }
        return removed.number();
    }

    @Override
    public MarkMemory marks() {
        return rows.marks(choice -> {
            lane().requireMayChange("removal of rows");
            return remove(0, choice);
        });
    }

    @Override
    protected boolean hasSlot(String name) {
        return rows.slots().used().containsKey(name);
    }

    @Override
    public FloatArray slot(String name, int width) {
        if (!Pushes.ownsSlot(name)) {
            throw onDevice("slot \"" + name + "\"");
        }
        return sums.of(name, Math.multiplyExact(rows(), width));
    }

    @Override
    public StoredColumn storedValues() {
        return new StoredOnDevice(rows, rows.values());
    }

    @Override
    public Map<String, StoredColumn> storedSlots() {
        Map<String, StoredColumn> stored = new TreeMap<>();
        rows.slots().used().forEach((name, column) -> stored.put(name, new StoredOnDevice(rows, column)));
        return stored;
    }

    @Override
    public StoredColumn storedSlot(String name, int width) {
        requireMayMake(name);
        return rows.operation(kernels -> new StoredOnDevice(rows, rows.slot(name, width)));
    }

    @Override
    public int device() {
        return workspace.device().number();
    }

    @Override
    public DeviceArray deviceValues() {
        if (spec().types().storage().isHalf()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "values of tensor \"" + spec().id() + "\" as an array of a device: "
                            + spec().types().storage() + " (expected: FLOAT32, for a handler with kernels of its own)");
        }
        return handlerWork.array(rows.operation(kernels -> rows.values()), rows());
    }

    @Override
    public DeviceArray deviceSlot(String name, int width) {
        requireMayMake(name);
        return handlerWork.array(rows.operation(kernels -> rows.slot(name, width)), rows());
    }

    @Override
    public DeviceArray deviceRows(LongArray keys) {
        return handlerWork.upload(rows(keys));
    }

    @Override
    public DeviceArray upload(FloatArray array) {
        return handlerWork.upload(array);
    }

    @Override
    public DeviceArray scratch(long n) {
        return handlerWork.scratch(n);
    }

    @Override
    public FloatArray download(DeviceArray array) {
        return handlerWork.download(array);
    }

    @Override
    public void launch(DeviceKernel kernel, long items, Object... arguments) {
        handlerWork.launch(kernel, Grid.of(items, workspace.device().processors()), arguments);
    }

    @Override
    public void launch(DeviceKernel kernel, Grid grid, Object... arguments) {
        handlerWork.launch(kernel, grid, arguments);
    }
}

package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.OwnerFiles;
import io.psf.builtin.internal.states.PullStates;
import io.psf.builtin.internal.states.StatePart;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * A file of optimizer states: a heading, for each tensor its name, shape, number of steps and parts, and the CRC32C of
 * all that. Numbers are big-endian. It is written beside and renamed, so a file is complete or is not there.
 */
final class StateFile {
    private static final String HEADING = "psf optimizer states 1";

    private StateFile() {}

    /** Writes a file, or replaces it. */
    static void write(Path file, Map<TensorInfo, PullStates.Response> states) {
        Path target = file.toAbsolutePath();
        Path beside = target.resolveSibling(target.getFileName() + ".unfinished");
        try {
            CRC32C sum = new CRC32C();
            try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(
                    new CheckedOutputStream(Channels.newOutputStream(OwnerFiles.create(beside)), sum)))) {
                out.writeUTF(HEADING);
                out.writeInt(states.size());
                for (Map.Entry<TensorInfo, PullStates.Response> each : states.entrySet()) {
                    out.writeUTF(each.getKey().id().name());
                    out.writeLong(each.getKey().rows());
                    out.writeInt(each.getKey().width());
                    out.writeLong(each.getValue().steps());
                    out.writeInt(each.getValue().parts().size());
                    for (StatePart part : each.getValue().parts()) {
                        write(out, part);
                    }
                }
                out.flush();
                out.writeLong(sum.getValue());
            }
            try (FileChannel written = FileChannel.open(beside, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "writing " + target + ": " + e, e);
        }
    }

    private static void write(DataOutputStream out, StatePart part) throws IOException {
        out.writeLong(part.row());
        out.writeUTF(part.optimizer());
        out.writeUTF(part.slot());
        out.writeInt(part.width());
        out.writeInt(part.values().length);
        for (float value : part.values()) {
            out.writeFloat(value);
        }
    }

    /** Reads a file. Verifies the checksum of the whole file first. */
    static Map<TensorInfo, PullStates.Response> read(Path file) {
        Path source = file.toAbsolutePath();
        try {
            verify(source);
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(source)))) {
                require(HEADING.equals(in.readUTF()));
                Map<TensorInfo, PullStates.Response> states = new LinkedHashMap<>();
                for (int tensors = in.readInt(); tensors > 0; tensors--) {
                    TensorInfo tensor = new TensorInfo(TensorId.of(in.readUTF()), in.readLong(), in.readInt());
                    long steps = in.readLong();
                    List<StatePart> parts = new ArrayList<>();
                    for (int n = in.readInt(); n > 0; n--) {
                        parts.add(part(in));
                    }
                    states.put(tensor, new PullStates.Response(parts, steps));
                }
                return states;
            }
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "reading " + source + ": " + e, e);
        }
    }

    private static StatePart part(DataInputStream in) throws IOException {
        long row = in.readLong();
        String optimizer = in.readUTF();
        String slot = in.readUTF();
        int width = in.readInt();
        float[] values = new float[in.readInt()];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.readFloat();
        }
        return new StatePart(row, optimizer, slot, width, values);
    }

    private static void verify(Path source) throws IOException {
        long body = Files.size(source) - Long.BYTES;
        require(body > 0);
        CRC32C sum = new CRC32C();
        try (InputStream file = new BufferedInputStream(Files.newInputStream(source));
                CheckedInputStream checked = new CheckedInputStream(file, sum)) {
            checked.skipNBytes(body);
            require(new DataInputStream(file).readLong() == sum.getValue());
        }
    }

    private static void require(boolean sound) throws IOException {
        if (!sound) {
            throw new IOException("damaged (expected: a whole file of \"" + HEADING + "\")");
        }
    }
}

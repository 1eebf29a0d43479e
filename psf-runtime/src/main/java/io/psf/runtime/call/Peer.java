package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A node that calls go to: its channel, its name in messages, and the functions it has. Thread-safe. */
public final class Peer {
    private final Channel channel;
    private final String name;
    /** The declarations that were found to agree, by number. */
    private final Map<Integer, FunctionInfo> agreed = new ConcurrentHashMap<>();

    private volatile @Nullable Map<Integer, FunctionInfo> functions;
    private volatile String searched = "";
    private volatile @Nullable PsException lost;

    /**
     * A node.
     *
     * @param name for messages, for example {@code server 1 (127.0.0.1:4081)}
     */
    public Peer(Channel channel, String name) {
        this.channel = channel;
        this.name = name;
    }

    public String name() {
        return name;
    }

    public Channel channel() {
        return channel;
    }

    /**
     * What the node said it has.
     *
     * @param functions by number
     * @param searched where it looked for handlers
     */
    public void setFunctions(Map<Integer, FunctionInfo> functions, String searched) {
        this.searched = searched;
        this.functions = Map.copyOf(functions);
    }

    /** From now on every call fails with this. */
    void lose(PsException cause) {
        if (lost == null) {
            lost = cause;
        }
    }

    /**
     * Checks that the node is there and has the function, with the schema that this side has.
     *
     * @throws PsException with {@code UNAVAILABLE}, {@code UNKNOWN_FUNCTION} or {@code SCHEMA_MISMATCH}
     */
    @SuppressWarnings("ReferenceEquality") // the very object that was compared before; equality would read its text
    void require(FunctionInfo mine) {
        PsException cause = lost;
        if (cause != null) {
            throw cause.at(mine.name(), null, null, name);
        }
        Map<Integer, FunctionInfo> known = functions;
        if (known == null || agreed.get(mine.id()) == mine) {
            return;
        }
        FunctionInfo theirs = known.get(mine.id());
        if (theirs == null) {
            throw new PsException(
                            PsException.Code.UNKNOWN_FUNCTION,
                            "function: \"" + mine.name() + "\" (expected: one that the server has a handler of; it"
                                    + " searched " + searched + "; put the jar of its @PsHandler there)")
                    .at(mine.name(), null, null, name);
        }
        requireAgreement(mine, theirs);
        agreed.put(mine.id(), mine);
    }

    private void requireAgreement(FunctionInfo mine, FunctionInfo theirs) {
        int common = Math.min(mine.version(), theirs.version());
        if (!mine.name().equals(theirs.name()) || mine.fingerprint(common) != theirs.fingerprint(common)) {
            throw new PsException(
                            PsException.Code.SCHEMA_MISMATCH,
                            "schema: " + mine.schemas().get(common - 1) + " (expected: "
                                    + theirs.schemas().get(common - 1) + ", which the server has)")
                    .at(mine.name(), null, null, name);
        }
    }
}

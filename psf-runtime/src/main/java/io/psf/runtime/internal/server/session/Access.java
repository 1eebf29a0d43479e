package io.psf.runtime.internal.server.session;

import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.FunctionInfo;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The functions that a peer may call, as a table of their numbers. Thread-safe; a check takes no lock. */
public final class Access {
    private static final Logger LOG = LoggerFactory.getLogger(Access.class);
    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String who;
    private final boolean all;
    /** Open addressing, at most half full; 0 is free. */
    private final int[] table;

    private final boolean hasZero;
    /** When a refusal of a function was logged last, by its number. */
    private final Map<Integer, Long> logged = new ConcurrentHashMap<>();

    /**
     * Creates a table.
     *
     * @param who the names of the rules, for messages; empty for none
     * @param all true if every function is allowed
     * @param functions the names of the allowed functions
     */
    public Access(String who, boolean all, Collection<String> functions) {
        this.who = who.isEmpty() ? "no rule" : who;
        this.all = all;
        this.table = new int[Integer.highestOneBit(2 * functions.size() + 1) << 1];
        boolean zero = false;
        for (String function : functions) {
            int number = Names.number(function);
            zero |= number == 0;
            int at = slot(number);
            while (table[at] != 0 && table[at] != number) {
                at = (at + 1) & (table.length - 1);
            }
            table[at] = number;
        }
        this.hasZero = zero;
    }

    private int slot(int number) {
        return (number ^ number >>> 15) & (table.length - 1);
    }

    /** True if a function is allowed. */
    public boolean allows(int function) {
        if (all || function == 0 && hasZero) {
            return true;
        }
        for (int at = slot(function); table[at] != 0; at = (at + 1) & (table.length - 1)) {
            if (table[at] == function) {
                return true;
            }
        }
        return false;
    }

    /** Returns the refusal of a call, and logs it unless one of the same function was logged within a minute. */
    public PsException refusal(FunctionInfo function, String caller) {
        String why = function.name() + ": not allowed to " + caller + " (" + who + ")";
        long now = System.nanoTime();
        boolean isLogged =
                logged.compute(function.id(), (id, at) -> at == null || now - at >= LOG_NANOS ? Long.valueOf(now) : at)
                        == now;
        if (isLogged) {
            LOG.warn("refused a call: {}", why);
        }
        return new PsException(Code.PERMISSION_DENIED, why + " (expected: a rule of PSF_PERMISSIONS that allows it)");
    }
}

package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/** Several errors of one call as one. */
final class Together {
    /** The most errors that are reported; the others are counted. */
    static final int MOST_NAMED = 3;

    private Together() {}

    /**
     * Returns the first of several errors, extended by the others.
     *
     * @param unnamed the number of further ones
     */
    static PsException of(Collection<PsException> inOrder, int unnamed) {
        List<PsException> errors = List.copyOf(inOrder);
        PsException first = errors.get(0);
        if (errors.size() == 1) {
            return first;
        }
        StringJoiner others = new StringJoiner("; ", "; also ", "");
        for (PsException other : errors.subList(1, errors.size())) {
            String where = (other.slice() == null ? "" : "slice " + other.slice() + ", ") + other.server();
            boolean same = other.code() == first.code() && other.detail().equals(first.detail());
            others.add(same ? where : other.code() + ": " + other.detail() + ", " + where);
        }
        if (unnamed > 0) {
            others.add("and " + unnamed + " more");
        }
        PsException all = new PsException(first.code(), first.detail())
                .at(first.function(), first.tensor(), first.slice(), first.server() + others);
        Set<Throwable> traced = Collections.newSetFromMap(new IdentityHashMap<>());
        for (PsException error : errors) {
            // One broken connection fails several parts: a trace that shows it twice calls it a circular reference.
            if (traced.add(error.getCause() == null ? error : error.getCause())) {
                all.addSuppressed(error);
            }
        }
        return all;
    }
}

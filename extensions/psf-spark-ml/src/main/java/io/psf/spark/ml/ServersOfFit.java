package io.psf.spark.ml;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * The servers that have had a model since its fit. A server that takes the place of a lost one has another address, and
 * begins with the initial values of a model without checkpoints.
 *
 * @param addresses by rank; empty for a model with checkpoints, which any servers may have
 */
record ServersOfFit(Map<Integer, String> addresses) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    static final ServersOfFit ANY = new ServersOfFit(Map.of());

    /** Returns the servers as they are now, each of which has answered. Blocks. */
    static ServersOfFit now() {
        var unused = PsSpark.client().rollback();
        return known();
    }

    private static ServersOfFit known() {
        Map<Integer, String> addresses = new TreeMap<>();
        for (Member member : PsSpark.client().members()) {
            if (member.role() == Role.SERVER) {
                addresses.put(member.rank(), member.address());
            }
        }
        return new ServersOfFit(addresses);
    }

    /** True if none of these servers is another one now. One that has left had its slices moved before. */
    boolean isSame(ServersOfFit now) {
        return now.addresses.entrySet().stream()
                .allMatch(each ->
                        addresses.getOrDefault(each.getKey(), each.getValue()).equals(each.getValue()));
    }

    /**
     * Checks that no server was lost since the fit, as far as this process knows.
     *
     * @throws IllegalStateException if one was
     */
    void require(String model) {
        if (addresses.isEmpty()) {
            return;
        }
        ServersOfFit known = known();
        if (!isSame(known)) {
            throw new IllegalStateException(
                    model + ": a server was lost, and the part of the model that it had: "
                            + known.addresses + " (expected: " + addresses
                            + "; setCheckpoints(true) before the fit, or exported() after it, keeps a model; a saved one is loaded again)");
        }
    }
}

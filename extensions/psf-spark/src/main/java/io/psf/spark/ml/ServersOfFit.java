package io.psf.spark.ml;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.io.Serializable;
import java.util.List;

/**
 * The servers that have had a model since its fit. A server that takes the place of a lost one has another address, and begins
 * with the initial values of a model without checkpoints.
 *
 * @param addresses by rank; empty for a model with checkpoints, which any servers may have
 */
record ServersOfFit(List<String> addresses) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    static final ServersOfFit ANY = new ServersOfFit(List.of());

    /** Returns the servers as they are now, each of which has answered. Blocks. */
    static ServersOfFit now() {
        var unused = PsSpark.client().rollback();
        return known();
    }

    private static ServersOfFit known() {
        return new ServersOfFit(PsSpark.client().members().stream()
                .filter(member -> member.role() == Role.SERVER)
                .map(Member::toString)
                .toList());
    }

    /**
     * Checks that no server was lost since the fit, as far as this process knows.
     *
     * @throws IllegalStateException if one was
     */
    void require(String model) {
        ServersOfFit known = addresses.isEmpty() ? ANY : known();
        if (!known.equals(this)) {
            throw new IllegalStateException(model + ": a server was lost, and the part of the model that it had: "
                    + known.addresses + " (expected: " + addresses
                    + "; setCheckpoints(true) before the fit, or exported() after it, keeps a model)");
        }
    }
}

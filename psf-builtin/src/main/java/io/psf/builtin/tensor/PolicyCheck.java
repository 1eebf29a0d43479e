package io.psf.builtin.tensor;

import io.psf.api.TensorDeclaration;
import io.psf.api.spi.DeclarationCheck;

/** Refuses a policy that no server accepts. */
public final class PolicyCheck implements DeclarationCheck {
    @Override
    public void require(TensorDeclaration declaration, int slices) {
        var unused = FirstValues.policy(declaration, slices);
    }
}

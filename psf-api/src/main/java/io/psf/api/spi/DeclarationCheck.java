package io.psf.api.spi;

import io.psf.api.TensorDeclaration;

/**
 * Checks declarations at the scheduler, before the name of the tensor is taken. A service: its artifact has {@code
 * META-INF/services/io.psf.api.spi.DeclarationCheck}.
 */
public interface DeclarationCheck {
    /**
     * Checks a declaration. Called on the scheduler's lane, which it must not block.
     *
     * @param slices the number of slices that the tensor would have
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if every server would refuse it
     */
    void require(TensorDeclaration declaration, int slices);
}

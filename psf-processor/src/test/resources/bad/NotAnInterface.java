package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.not.an.interface")
public abstract class NotAnInterface { // ERROR [PsfNotInterface]
  record Request(TensorId tensor) {}

  record Response() {}

  abstract Response handle(Request slice, Shard shard);
}

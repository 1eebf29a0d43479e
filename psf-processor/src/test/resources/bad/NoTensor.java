package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.no.tensor")
public interface NoTensor {
  record Request(String tensor) {} // ERROR [PsfTarget]

  record Response() {}

  Response handle(Request slice, Shard shard);
}

#pragma once

#include "kernel/bytecode.h"

/// Instructions that do not compute: they move values, touch memory, jump and wait.
namespace stencilgen::kernel::bytecode {

// --- Cells ---

/// dest = a; each of `lanes`.
void Move(Thread& thread, const Instruction& it);
/// dest + k = a + k modulo `number`: a value in all lanes, a vector in all of a pack.
void Repeat(Thread& thread, const Instruction& it);
/// dest = b where a holds, else c; each of `lanes`.
void SelectLanes(Thread& thread, const Instruction& it);
/// dest + k = lane k + `number` of a, b and c side by side, counted from b; -lanes <= number <=
/// lanes.
void ShiftLanes(Thread& thread, const Instruction& it);
/// dest has no value.
void Forget(Thread& thread, const Instruction& it);
/// The cell a fits `int`.
void CheckShort(Thread& thread, const Instruction& it);
/// dest = elements of `number` bytes from the address a on before a line of the caches begins.
void ElementsToLine(Thread& thread, const Instruction& it);
/// dest and c = row and column of element a of the rim that the statement describes.
void PlaceInRim(Thread& thread, const Instruction& it);
/// dest = number c of the thread's index in its block, of its block, or of the blocks, as `number`
/// says (PlaceExpr::What).
void Place(Thread& thread, const Instruction& it);
/// An element of an array of `number` cells from c on: dest = [a]; and [a] = b.
void LoadCell(Thread& thread, const Instruction& it);
void StoreCell(Thread& thread, const Instruction& it);

// --- Control; `number` is where to go ---

void Jump(Thread& thread, const Instruction& it);
/// Where a holds, and where it does not. b: only a value depends on it, which Taint makes unset
/// where a is.
void JumpIf(Thread& thread, const Instruction& it);
void JumpUnless(Thread& thread, const Instruction& it);
/// dest, `lanes` of it, has no value where a has none.
void Taint(Thread& thread, const Instruction& it);
void End(Thread& thread, const Instruction& it);
/// Begins a parallel loop from a to b in steps of c, below b where `number`.
void BeginTurns(Thread& thread, const Instruction& it);
/// dest = its next turn; goes on where there is none.
void NextTurn(Thread& thread, const Instruction& it);
void BeginVectorLoop(Thread& thread, const Instruction& it);
void NextVectorTurn(Thread& thread, const Instruction& it);
void EndVectorLoop(Thread& thread, const Instruction& it);
void CountFlops(Thread& thread, const Instruction& it);  ///< `number` of them
void Barrier(Thread& thread, const Instruction& it);
/// dest = a of the lane b before the thread's own, in rows of c lanes; after it where `number`.
void Shuffle(Thread& thread, const Instruction& it);

// --- Memory ---

/// dest = address a + b elements of `number` bytes.
void MoveAddress(Thread& thread, const Instruction& it);
/// dest = `lanes` elements from address a + element b on; aligned to all of them where c.
Handler LoadHandler(Elementary type);
/// The elements from address dest + element a on = b.
Handler StoreHandler(Elementary type);
/// An asynchronous copy of `number` bytes to address dest from address a.
void CopyAsync(Thread& thread, const Instruction& it);
void CommitCopies(Thread& thread, const Instruction& it);
void WaitForCopies(Thread& thread, const Instruction& it);

}  // namespace stencilgen::kernel::bytecode

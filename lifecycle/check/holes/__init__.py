"""What fills the holes of ordeals: new images, loads, rooms, and who depends on whom."""
